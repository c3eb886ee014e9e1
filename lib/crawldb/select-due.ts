import type { DbDatum } from '../record/records.js'
import { hostOfReversed, reversedHostOfKey } from '../record/url-key.js'
import { sideBySide } from '../stream/side-by-side.js'
import type { CrawlDb } from './crawl-db.js'
import { HeadsCursor, type HostCursor } from './due-cursors.js'
import { bucketUpperBound, isExactBucket } from './sort-bucket.js'

export interface SelectOptions {
  /** Records to select at most. */
  readonly topN: number
  /** Limit for each group that `groupOf` names; given the host. */
  readonly maxPerGroup: (group: string) => number
  /** Host, or its domain. */
  readonly groupOf: (host: string) => string
  /** Records with a lower sort value are not selected. */
  readonly minSortValue: number
  /** The record's own tests: due, not locked, rules, expression, status, interval. Counts what it refuses. */
  readonly isWanted: (datum: DbDatum, sortValue: number) => boolean
  /** Asked last, for a key that is within all other limits: whether it is taken. @defaultValue always */
  readonly place?: (key: string, group: string) => boolean
  /** Keys that wait but are to be looked at as if due (`--add-days`), by bucket. */
  readonly ahead?: ReadonlyMap<string, readonly string[]>
  readonly signal?: AbortSignal | undefined
}

/** Candidates of one bucket that are ordered by reading their values; what is beyond is taken after them. */
const candidatesPerSort = 100_000

/** Hosts whose entries are read together where a bucket is taken host by host. */
const hostsPerRead = 64

/**
 * The keys of the best `topN` records that are due, best first: a merge over the heads of the hosts, so that it costs what is selected and
 * what is passed over. Equal sort values alternate between hosts.
 */
export async function selectDue(crawlDb: CrawlDb, options: SelectOptions): Promise<string[]> {
  return new Selection(crawlDb, options).run()
}

class Selection {
  readonly #crawlDb: CrawlDb
  readonly #options: SelectOptions
  readonly #heads: HeadsCursor
  /** Hosts whose better buckets are done, by the bucket they go on with. */
  readonly #carried = new Map<string, HostCursor[]>()
  readonly #ahead: Map<string, readonly string[]>
  readonly #countOf = new Map<string, number>()
  readonly #selected: string[] = []

  constructor(crawlDb: CrawlDb, options: SelectOptions) {
    this.#crawlDb = crawlDb
    this.#options = options
    this.#heads = new HeadsCursor(crawlDb.level)
    this.#ahead = new Map(options.ahead)
  }

  async run(): Promise<string[]> {
    const { minSortValue, signal } = this.#options
    for (let bucket = await this.#bestBucket(); bucket !== undefined && !this.#isFull(); bucket = await this.#bestBucket()) {
      signal?.throwIfAborted()
      if (bucketUpperBound(bucket) < minSortValue) break
      if (isExactBucket(bucket)) await this.#takeInTurns(bucket)
      else await this.#takeBySortValue(bucket)
    }
    return this.#selected
  }

  #isFull(): boolean {
    return this.#selected.length >= this.#options.topN
  }

  async #bestBucket(): Promise<string | undefined> {
    let best = await this.#heads.bucket()
    for (const bucket of this.#carried.keys()) if (best === undefined || bucket < best) best = bucket
    for (const bucket of this.#ahead.keys()) if (best === undefined || bucket < best) best = bucket
    return best
  }

  /** All records of the bucket have one sort value: a record of each host, then the next of each. */
  async #takeInTurns(bucket: string): Promise<void> {
    const hostsAtOnce = Math.min(Math.max(this.#options.topN - this.#selected.length, 64), 4096)
    for (let cursors = await this.#cursors(bucket, hostsAtOnce); cursors.length > 0 && !this.#isFull(); ) {
      cursors = await this.#takeOneOfEach(bucket, cursors)
      if (cursors.length === 0) cursors = await this.#cursors(bucket, hostsAtOnce)
    }
    await this.#acceptInOrder(this.#takeAhead(bucket))
  }

  async #takeOneOfEach(bucket: string, cursors: readonly HostCursor[]): Promise<HostCursor[]> {
    const keys: string[] = []
    const remaining: HostCursor[] = []
    for (const cursor of await this.#readAhead(cursors)) {
      const key = await cursor.take(bucket)
      if (key === undefined) await this.#carry(cursor)
      else {
        keys.push(key)
        remaining.push(cursor)
      }
    }
    await this.#acceptInOrder(keys)
    return remaining
  }

  async #takeBySortValue(bucket: string): Promise<void> {
    let keys = this.#takeAhead(bucket)
    while (!this.#isFull()) {
      const cursors = await this.#cursors(bucket, hostsPerRead)
      if (cursors.length === 0) break
      for (const cursor of await this.#readAhead(cursors)) {
        for (let key = await cursor.take(bucket); key !== undefined; key = await cursor.take(bucket)) keys.push(key)
        await this.#carry(cursor)
        if (keys.length < candidatesPerSort) continue
        await this.#acceptBest(keys)
        keys = []
      }
    }
    await this.#acceptBest(keys)
  }

  /** Those whose groups are not full, with their next entries in memory. */
  async #readAhead(cursors: readonly HostCursor[]): Promise<HostCursor[]> {
    const open = cursors.filter(cursor => !this.#isGroupFull(cursor.host))
    await sideBySide(open, cursor => cursor.bucket())
    return open
  }

  async #cursors(bucket: string, limit: number): Promise<HostCursor[]> {
    const carried = this.#carried.get(bucket) ?? []
    const cursors = carried.splice(0, limit)
    if (carried.length === 0) this.#carried.delete(bucket)
    while (cursors.length < limit) {
      const cursor = await this.#heads.take(bucket)
      if (cursor === undefined) break
      cursors.push(cursor)
    }
    return cursors
  }

  async #carry(cursor: HostCursor): Promise<void> {
    const bucket = await cursor.bucket()
    if (bucket === undefined || this.#isGroupFull(cursor.host)) return
    const others = this.#carried.get(bucket)
    if (others === undefined) this.#carried.set(bucket, [cursor])
    else others.push(cursor)
  }

  #takeAhead(bucket: string): string[] {
    const keys = [...(this.#ahead.get(bucket) ?? [])]
    this.#ahead.delete(bucket)
    return keys
  }

  async #acceptInOrder(keys: readonly string[]): Promise<void> {
    for (const { key } of await this.#wanted(keys)) this.#accept(key)
  }

  async #acceptBest(keys: readonly string[]): Promise<void> {
    const wanted = await this.#wanted(keys)
    wanted.sort((a, b) => b.sortValue - a.sortValue || (a.key < b.key ? -1 : 1))
    for (const { key } of wanted) this.#accept(key)
  }

  async #wanted(keys: readonly string[]): Promise<{ readonly key: string; readonly sortValue: number }[]> {
    const wanted: { key: string; sortValue: number }[] = []
    const keysPerRead = 4096
    for (let start = 0; start < keys.length; start += keysPerRead) {
      const part = keys.slice(start, start + keysPerRead)
      for (const [index, datum] of (await this.#crawlDb.readMany(part)).entries()) {
        if (datum === undefined) continue
        const sortValue = this.#crawlDb.sortValueOf(datum)
        if (sortValue >= this.#options.minSortValue && this.#options.isWanted(datum, sortValue))
          wanted.push({ key: part[index] as string, sortValue })
      }
    }
    return wanted
  }

  #accept(key: string): void {
    if (this.#isFull()) return
    const group = this.#groupOfHost(reversedHostOfKey(key))
    const count = this.#countOf.get(group) ?? 0
    if (count >= this.#options.maxPerGroup(group)) return
    if (this.#options.place?.(key, group) === false) return
    this.#countOf.set(group, count + 1)
    this.#selected.push(key)
  }

  #isGroupFull(host: string): boolean {
    const group = this.#groupOfHost(host)
    return (this.#countOf.get(group) ?? 0) >= this.#options.maxPerGroup(group)
  }

  #groupOfHost(reversed: string): string {
    return this.#options.groupOf(hostOfReversed(reversed))
  }
}

/** Orders keys so that hosts alternate: the first of each host, then the second of each, … in the order given. */
export function alternateHosts(keys: readonly string[]): string[] {
  const rankOf = new Map<string, number>()
  const ranked = keys.map(key => {
    const host = reversedHostOfKey(key)
    const rank = rankOf.get(host) ?? 0
    rankOf.set(host, rank + 1)
    return { key, rank }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ key }) => key) // stable
}
