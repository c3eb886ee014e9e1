import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { endOf, tables, timeText, waitTimeMs } from '../lib/crawldb/tables.js'
import type { JobContext } from './job.js'

/** When the first record that waits will be due, epoch ms; undefined if none waits. */
export async function nextWaitTimeMs(crawlDb: CrawlDb): Promise<number | undefined> {
  const { waterMark } = crawlDb.state
  const from = waterMark.timeMs < 0 ? tables.wait : tables.wait + timeText(waterMark.timeMs) + waterMark.key
  const [first] = await crawlDb.level.keys({ gt: from, lt: endOf(tables.wait), limit: 1 }).all()
  return first === undefined ? undefined : waitTimeMs(first)
}

/** Whether the clock has gone back behind what was promoted already: records of the time between are found in `due` before they are. */
export function isClockBehind({ state }: CrawlDb, { clock }: Pick<JobContext, 'clock'>): boolean {
  return clock.nowMs() < state.waterMark.timeMs
}

/** How long a crawl with nothing to do sleeps before it looks at the clock again. */
const longestSleepMs = 60_000

/** Until the next record is due, or the next queue that is held may be asked; a clock that is set is noticed in time. */
export async function sleepMs(crawlDb: CrawlDb, { clock, pacingClock }: JobContext, heldUntilMs = Number.POSITIVE_INFINITY): Promise<number> {
  const dueMs = (await nextWaitTimeMs(crawlDb)) ?? Number.POSITIVE_INFINITY
  return Math.min(Math.max(1, Math.min(dueMs - clock.nowMs(), heldUntilMs - pacingClock.nowMs())), longestSleepMs)
}
