import { reversedHostOfKey } from '../record/url-key.js'
import { type Change, type Level, presence } from '../store/level-store.js'
import { readSorted } from '../store/read-sorted.js'
import { readStretches } from '../store/read-stretches.js'
import { bucketLength } from './sort-bucket.js'
import { tables } from './tables.js'

interface HostChange {
  /** Best bucket that got an entry in this batch. */
  best: string | undefined
  /** Buckets that got one, as often as they did. */
  readonly gained: string[]
  /** Index keys that it takes out of `due`. */
  readonly removed: string[]
}

/** A host whose head may have lost its last entry. */
interface EmptiedHead {
  readonly host: string
  readonly before: string
  readonly change: HostChange
}

/** The best bucket of each host, undefined if nothing of it is due. */
export type HeadsOfHosts = ReadonlyMap<string, string | undefined>

/** Keeps `heads` (best bucket of each host that has something due) in step with the changes of one batch to `due`. */
export class HeadChanges {
  readonly #level: Level
  readonly #hosts = new Map<string, HostChange>()
  #reading: Promise<HeadsOfHosts> = Promise.resolve(new Map())

  constructor(level: Level) {
    this.#level = level
  }

  added(key: string, bucket: string): void {
    const change = this.#changeOf(key)
    if (change.best === undefined || bucket < change.best) change.best = bucket
    change.gained.push(bucket)
  }

  removed(key: string, indexKey: string): void {
    this.#changeOf(key).removed.push(indexKey)
  }

  /** Begins to read what `heads` holds for the hosts that were named. */
  read(): void {
    this.#reading = this.#readHeads()
    this.#reading.catch(() => undefined) // `finish` tells
  }

  /** To be called once the batch before is written. @param last what that one left: the heads may have been read before it was there */
  async finish(last: HeadsOfHosts): Promise<{ readonly changes: readonly Change[]; readonly heads: HeadsOfHosts }> {
    const befores = [...(await this.#reading)].map(([host, head]) => [host, last.has(host) ? last.get(host) : head] as const)
    const heads = await this.#headsAfter(befores)
    const changes: Change[] = []
    for (const [host, before] of befores) {
      const after = heads.get(host)
      if (before === after) continue
      if (before !== undefined) changes.push({ key: tables.heads + before + host })
      if (after === undefined) changes.push({ key: tables.headof + host })
      else changes.push({ key: tables.heads + after + host, value: presence }, { key: tables.headof + host, value: Buffer.from(after, 'latin1') })
    }
    return { changes, heads }
  }

  async #readHeads(): Promise<HeadsOfHosts> {
    const hosts = [...this.#hosts.keys()].sort()
    const found = await readSorted(this.#level, tables.headof, hosts)
    return new Map(hosts.map((host, index) => [host, found[index]?.toString('latin1')]))
  }

  /** The best buckets that the hosts will have: only where a head may have lost its last entry must `due` be read. */
  async #headsAfter(befores: readonly (readonly [host: string, before: string | undefined])[]): Promise<HeadsOfHosts> {
    const heads = new Map<string, string | undefined>()
    const emptied: EmptiedHead[] = []
    for (const [host, before] of befores) {
      const change = this.#hosts.get(host) as HostChange // what was read is of the map's hosts
      if (before !== undefined && isEmptied(host, before, change)) emptied.push({ host, before, change })
      heads.set(host, better(before, change.best))
    }
    const remaining = await this.#firstRemaining(emptied)
    for (const [index, { host, change }] of emptied.entries()) heads.set(host, better(remaining[index], change.best))
    return heads
  }

  /** The best bucket in which something is left of each host, hosts in order. */
  async #firstRemaining(emptied: readonly EmptiedHead[]): Promise<(string | undefined)[]> {
    const stretches = emptied.map(({ host, before, change }) => ({
      gt: `${tables.due}${host}\u0001${before}`, // no key ends with its bucket
      lt: `${tables.due}${host}\u0002`,
      limit: change.removed.length + 1, // more than are taken out
    }))
    const found = await readStretches(this.#level, stretches)
    return emptied.map(({ host, change }, index) => {
      const removed = new Set(change.removed)
      const start = bucketStart(host)
      return found[index]?.find(key => !removed.has(key))?.slice(start, start + bucketLength)
    })
  }

  #changeOf(key: string): HostChange {
    const host = reversedHostOfKey(key)
    let change = this.#hosts.get(host)
    if (change === undefined) {
      change = { best: undefined, gained: [], removed: [] }
      this.#hosts.set(host, change)
    }
    return change
  }
}

/** Whether a host's best bucket may have nothing left, and gets nothing as good. */
function isEmptied(host: string, before: string, { best, gained, removed }: HostChange): boolean {
  if ((best !== undefined && best <= before) || gained.includes(before)) return false
  return removed.some(indexKey => indexKey.startsWith(before, bucketStart(host)))
}

/** Where in the index keys of a host the bucket stands. */
function bucketStart(host: string): number {
  return tables.due.length + host.length + 1
}

/** The better of two buckets, either of which may not be. */
function better(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a
}
