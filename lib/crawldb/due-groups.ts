import type { Level } from '../store/level-store.js'
import type { KeysAhead } from './due-ahead.js'
import { HeadsCursor, HostCursor } from './due-cursors.js'
import { bucketUpperBound, isExactBucket } from './sort-bucket.js'

/** Candidates that no later candidate is better than. */
export interface DueGroup {
  readonly keys: readonly string[]
  /** Whether they are in order as they stand, having equal sort values; else their values say which is best. */
  readonly isInOrder: boolean
}

export interface DueGroupsOptions {
  readonly level: Level
  /** Keys that wait but are to be looked at as if due. */
  readonly ahead: KeysAhead | undefined
  readonly minSortValue: number
  /** Whether no more is wanted of the host, as keys spell it. */
  readonly isDone: (host: string) => boolean
  /** How many are still wanted, beyond those given. */
  readonly wanted: () => number
  readonly signal: AbortSignal | undefined
}

/** Candidates of one bucket that are ordered by reading their values; what is beyond is taken after them. */
const candidatesPerSort = 100_000

/** Hosts whose entries are read together. */
const hostsPerRead = 256

/** Hosts that give one of equal records each before the first of them gives another: as many as records are wanted, within these. */
const leastHostsInTurn = 64
const mostHostsInTurn = 4096

/** Entries of hosts that go on later, some 150 bytes each; where there would be more in memory they are read again. */
const mostHeldEntries = 250_000

/** Hosts that go on with one bucket, as a cursor or by their name; those before `next` are taken. */
interface Carried {
  readonly hosts: (HostCursor | string)[]
  next: number
}

/** What is due, best first: a merge over the heads of the hosts. Reads no more than is asked for, and the entries of the hosts that come next. */
export class DueGroups {
  readonly #options: DueGroupsOptions
  readonly #heads: HeadsCursor
  /** Hosts whose better buckets are done, by the bucket they go on with. */
  readonly #carried = new Map<string, Carried>()
  #heldEntries = 0

  constructor(options: DueGroupsOptions) {
    this.#options = options
    this.#heads = new HeadsCursor(options.level, { hostsAhead: hostsPerRead, isDone: options.isDone })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DueGroup> {
    const { minSortValue, signal } = this.#options
    for (let bucket = await this.#bestBucket(); bucket !== undefined; bucket = await this.#bestBucket()) {
      signal?.throwIfAborted()
      if (bucketUpperBound(bucket) < minSortValue) return
      if (isExactBucket(bucket)) yield* this.#inTurns(bucket)
      else yield* this.#unordered(bucket)
    }
  }

  async #bestBucket(): Promise<string | undefined> {
    let best = await this.#heads.bucket()
    for (const bucket of this.#carried.keys()) if (best === undefined || bucket < best) best = bucket
    const ahead = await this.#options.ahead?.bucket()
    return best === undefined || (ahead !== undefined && ahead < best) ? ahead : best
  }

  /** All records of the bucket have one sort value: a record of each host, then the next of each. */
  async *#inTurns(bucket: string): AsyncGenerator<DueGroup> {
    const hostsAtOnce = Math.min(Math.max(this.#options.wanted(), leastHostsInTurn), mostHostsInTurn)
    for (let cursors = await this.#cursors(bucket, hostsAtOnce); cursors.length > 0; ) {
      const keys: string[] = []
      cursors = await this.#takeOneOfEach(bucket, cursors, keys)
      yield { keys, isInOrder: true }
      if (cursors.length === 0) cursors = await this.#cursors(bucket, hostsAtOnce)
    }
    for await (const keys of this.#ahead(bucket)) yield { keys, isInOrder: true }
  }

  async #takeOneOfEach(bucket: string, cursors: readonly HostCursor[], keys: string[]): Promise<HostCursor[]> {
    const remaining: HostCursor[] = []
    for (const cursor of await this.#readAhead(cursors)) {
      const key = await cursor.take(bucket)
      if (key === undefined) await this.#carry(cursor)
      else {
        keys.push(key)
        remaining.push(cursor)
      }
    }
    return remaining
  }

  async *#unordered(bucket: string): AsyncGenerator<DueGroup> {
    let keys: string[] = []
    for await (const ahead of this.#ahead(bucket)) {
      keys.push(...ahead)
      if (keys.length < candidatesPerSort) continue
      yield { keys, isInOrder: false }
      keys = []
    }
    for (let cursors = await this.#cursors(bucket, hostsPerRead); cursors.length > 0; cursors = await this.#cursors(bucket, hostsPerRead)) {
      for (const cursor of await this.#readAhead(cursors)) {
        for (let key = await cursor.take(bucket); key !== undefined; key = await cursor.take(bucket)) keys.push(key)
        await this.#carry(cursor)
        if (keys.length < candidatesPerSort) continue
        yield { keys, isInOrder: false }
        keys = []
      }
    }
    yield { keys, isInOrder: false }
  }

  /** Those of whose hosts more is wanted, with their next entries in memory. */
  async #readAhead(cursors: readonly HostCursor[]): Promise<HostCursor[]> {
    const open = cursors.filter(cursor => !this.#options.isDone(cursor.host))
    await HostCursor.readAhead(this.#options.level, open)
    return open
  }

  async #cursors(bucket: string, limit: number): Promise<HostCursor[]> {
    const cursors = this.#takeCarried(bucket, limit)
    while (cursors.length < limit) {
      const cursor = await this.#heads.take(bucket)
      if (cursor === undefined) break
      cursors.push(cursor)
    }
    return cursors
  }

  async #carry(cursor: HostCursor): Promise<void> {
    const bucket = await cursor.bucket()
    if (bucket === undefined || this.#options.isDone(cursor.host)) return
    const isHeld = this.#heldEntries + cursor.heldEntries <= mostHeldEntries
    if (isHeld) this.#heldEntries += cursor.heldEntries
    const host = isHeld ? cursor : cursor.host
    const carried = this.#carried.get(bucket)
    if (carried === undefined) this.#carried.set(bucket, { hosts: [host], next: 0 })
    else carried.hosts.push(host)
  }

  #takeCarried(bucket: string, limit: number): HostCursor[] {
    const carried = this.#carried.get(bucket)
    if (carried === undefined) return []
    const taken = carried.hosts.slice(carried.next, carried.next + limit)
    carried.hosts.fill('', carried.next, carried.next + limit) // no cursor is kept
    carried.next += taken.length
    if (carried.next === carried.hosts.length) this.#carried.delete(bucket)
    return taken.map(host => this.#resumed(host, bucket))
  }

  #resumed(host: HostCursor | string, bucket: string): HostCursor {
    if (typeof host === 'string') return new HostCursor(this.#options.level, host, bucket)
    this.#heldEntries -= host.heldEntries
    return host
  }

  async *#ahead(bucket: string): AsyncGenerator<string[]> {
    const { ahead } = this.#options
    while ((await ahead?.bucket()) === bucket) yield (await ahead?.take(bucket)) ?? []
  }
}
