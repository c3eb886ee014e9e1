import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { endOf, tables, timeText, waitTimeMs } from '../lib/crawldb/tables.js'

/** When the first record that waits will be due, epoch ms; undefined if none waits. */
export async function nextWaitTimeMs(crawlDb: CrawlDb): Promise<number | undefined> {
  const { waterMark } = crawlDb.state
  const from = waterMark.timeMs < 0 ? tables.wait : tables.wait + timeText(waterMark.timeMs) + waterMark.key
  const [first] = await crawlDb.level.keys({ gt: from, lt: endOf(tables.wait), limit: 1 }).all()
  return first === undefined ? undefined : waitTimeMs(first)
}
