import type { DbDatum } from '../record/records.js'
import type { FetchSchedule } from '../schedule/fetch-schedule.js'
import type { Merged } from '../store/sorted-merge.js'
import type { CrawlDb } from './crawl-db.js'
import { lockedUntilMs } from './place.js'
import { bucketOf } from './sort-bucket.js'
import { endOf, keyOfWait, tables, timeText } from './tables.js'

const entriesPerBatch = 2000

/** Keys of what waits for a time up to `untilMs`, by the bucket of its sort value: `--add-days` looks ahead without moving anything. */
export async function aheadByBucket(crawlDb: CrawlDb, untilMs: number): Promise<Map<string, string[]>> {
  const { waterMark } = crawlDb.state
  const byBucket = new Map<string, string[]>()
  const from = waterMark.timeMs < 0 ? tables.wait : tables.wait + timeText(waterMark.timeMs) + waterMark.key
  const iterator = crawlDb.level.keys({ gt: from, lt: tables.wait + timeText(untilMs + 1) })
  try {
    for (let batch = await iterator.nextv(entriesPerBatch); batch.length > 0; batch = await iterator.nextv(entriesPerBatch)) {
      const keys = batch.map(keyOfWait)
      for (const [index, datum] of (await crawlDb.readMany(keys)).entries()) {
        if (datum === undefined || lockedUntilMs(datum) > waterMark.timeMs) continue
        const bucket = bucketOf(crawlDb.sortValueOf(datum))
        const others = byBucket.get(bucket)
        if (others === undefined) byBucket.set(bucket, [keys[index] as string])
        else others.push(keys[index] as string)
      }
    }
  } finally {
    await iterator.close()
  }
  return byBucket
}

/**
 * A fetch time further off than the maximum interval is due (Nutch's shouldFetch): such records stand at the end of `wait`. They are given the
 * time and interval that they should have, which makes them due. Gives their number.
 */
export async function pullBackFarFuture(crawlDb: CrawlDb, nowMs: number, schedule: FetchSchedule): Promise<number> {
  let changed = 0
  let from = tables.wait + timeText(nowMs + schedule.maxIntervalS * 1000 + 1)
  for (;;) {
    const indexKeys = await crawlDb.level.keys({ gte: from, lt: endOf(tables.wait), limit: entriesPerBatch }).all()
    const last = indexKeys.at(-1)
    if (last === undefined) return changed
    changed += await crawlDb.commits.run(() => pullBack(crawlDb, indexKeys.map(keyOfWait).sort(), nowMs, schedule))
    from = `${last}\u0000`
  }
}

async function pullBack(crawlDb: CrawlDb, keys: readonly string[], nowMs: number, schedule: FetchSchedule): Promise<number> {
  const merged: Merged<DbDatum>[] = []
  for (const [index, old] of (await crawlDb.readMany(keys)).entries()) {
    if (old === undefined || lockedUntilMs(old) > nowMs || !schedule.shouldFetch(old, nowMs)) continue
    const next = schedule.asDue(old, nowMs)
    if (next !== old) merged.push({ key: keys[index] as string, old, next })
  }
  if (merged.length > 0) await crawlDb.commit(merged)
  return merged.length
}
