import type { DbDatum } from '../record/records.js'
import type { FetchSchedule } from '../schedule/fetch-schedule.js'
import type { Merged } from '../store/sorted-merge.js'
import { SortedUpdates, type SortedUpdatesOptions, type UpdateGroup } from '../store/sorted-updates.js'
import type { CrawlDb } from './crawl-db.js'
import { lockedUntilMs } from './place.js'
import { promoteDue } from './promote.js'
import { bucketLength, bucketOf } from './sort-bucket.js'
import { endOf, keyOfWait, tables, timeText } from './tables.js'

const entriesPerBatch = 2000

/** What waits for a time up to some days from now, by the bucket of its sort value: `--add-days` looks ahead without moving anything. Sorted on disk. */
export class KeysAhead {
  readonly #sorted: SortedUpdates
  readonly #groups: AsyncGenerator<readonly UpdateGroup[]>
  /** Read, not taken. */
  #groupsRead: readonly UpdateGroup[] = []
  #index = 0

  private constructor(sorted: SortedUpdates) {
    this.#sorted = sorted
    this.#groups = sorted.batches(entriesPerBatch)
  }

  static async read(crawlDb: CrawlDb, untilMs: number, options: SortedUpdatesOptions): Promise<KeysAhead> {
    const sorted = new SortedUpdates(options)
    await sorted.dispose() // runs of a killed process
    for await (const keys of waitingKeys(crawlDb, untilMs)) {
      const first = sorted.count
      await sorted.add(keys.map(([bucket, key], index) => ({ key: bucket + timeText(first + index), payload: key })))
    }
    return new KeysAhead(sorted)
  }

  /** The best bucket that has keys left; undefined at the end. */
  async bucket(): Promise<string | undefined> {
    return (await this.#peek())?.key.slice(0, bucketLength)
  }

  /** Some of the keys that are left of the best bucket, if that is `bucket`: those first that are due first. */
  async take(bucket: string): Promise<string[]> {
    const keys: string[] = []
    for (let next = await this.#peek(); next?.key.startsWith(bucket) === true && keys.length < entriesPerBatch; next = await this.#peek()) {
      keys.push(...next.payloads)
      this.#index++
    }
    return keys
  }

  async dispose(): Promise<void> {
    await this.#groups.return(undefined)
    await this.#sorted.dispose()
  }

  async #peek(): Promise<UpdateGroup | undefined> {
    if (this.#index === this.#groupsRead.length) {
      const next = await this.#groups.next()
      this.#groupsRead = next.done === true ? [] : next.value
      this.#index = 0
    }
    return this.#groupsRead[this.#index]
  }
}

async function* waitingKeys(crawlDb: CrawlDb, untilMs: number): AsyncGenerator<(readonly [bucket: string, key: string])[]> {
  const { waterMark } = crawlDb.state
  const from = waterMark.timeMs < 0 ? tables.wait : tables.wait + timeText(waterMark.timeMs) + waterMark.key
  const iterator = crawlDb.level.keys({ gt: from, lt: tables.wait + timeText(untilMs + 1) })
  try {
    for (let batch = await iterator.nextv(entriesPerBatch); batch.length > 0; batch = await iterator.nextv(entriesPerBatch)) {
      const keys = batch.map(keyOfWait)
      const data = await crawlDb.readMany(keys)
      yield keys.flatMap((key, index) => {
        const datum = data[index]
        return datum === undefined || lockedUntilMs(datum) > waterMark.timeMs ? [] : [[bucketOf(crawlDb.sortValueOf(datum)), key] as const]
      })
    }
  } finally {
    await iterator.close()
  }
}

/** Moves to `due` what is due at `nowMs`, by its time or since that lies further off than any may. Gives the number of records moved. */
export async function bringDue(crawlDb: CrawlDb, nowMs: number, schedule: FetchSchedule): Promise<number> {
  return (await promoteDue(crawlDb, nowMs)) + (await pullBackFarFuture(crawlDb, nowMs, schedule))
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
