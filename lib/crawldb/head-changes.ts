import { reversedHostOfKey } from '../record/url-key.js'
import { type Change, type Level, presence } from '../store/level-store.js'
import { readEach } from '../store/read-each.js'
import { sideBySide } from '../stream/side-by-side.js'
import { bucketLength } from './sort-bucket.js'
import { tables } from './tables.js'

interface HostChange {
  /** Best bucket that got an entry in this batch. */
  best: string | undefined
  /** Index keys that this batch takes out of `due`. */
  readonly removed: Set<string>
  /** Buckets that lost an entry. */
  readonly lostBuckets: Set<string>
  /** Whether something was put into the bucket, by bucket. */
  readonly gained: Set<string>
}

/** Keeps `heads` (best bucket of each host that has something due) in step with the changes of one batch to `due`. */
export class HeadChanges {
  readonly #level: Level
  readonly #hosts = new Map<string, HostChange>()

  constructor(level: Level) {
    this.#level = level
  }

  added(key: string, bucket: string): void {
    const change = this.#changeOf(key)
    if (change.best === undefined || bucket < change.best) change.best = bucket
    change.gained.add(bucket)
  }

  removed(key: string, bucket: string, indexKey: string): void {
    const change = this.#changeOf(key)
    change.removed.add(indexKey)
    change.lostBuckets.add(bucket)
  }

  async changes(): Promise<Change[]> {
    const hosts = [...this.#hosts.keys()]
    const heads = await readEach(
      this.#level,
      hosts.map(host => tables.headof + host),
    )
    const befores = heads.map(bytes => bytes?.toString('latin1'))
    const afters = await sideBySide([...hosts.entries()], ([index, host]) => this.#headAfter(host, befores[index]))
    const changes: Change[] = []
    for (const [index, host] of hosts.entries()) {
      const [before, after] = [befores[index], afters[index]]
      if (before === after) continue
      if (before !== undefined) changes.push({ key: tables.heads + before + host })
      if (after === undefined) changes.push({ key: tables.headof + host })
      else changes.push({ key: tables.heads + after + host, value: presence }, { key: tables.headof + host, value: Buffer.from(after, 'latin1') })
    }
    this.#hosts.clear()
    return changes
  }

  /** The best bucket that the host will have: only if its head may have lost its last entry must `due` be read. */
  async #headAfter(host: string, before: string | undefined): Promise<string | undefined> {
    const { best, lostBuckets, gained, removed } = this.#hosts.get(host) as HostChange // called for hosts of the map only
    if (before === undefined) return best
    if (best !== undefined && best <= before) return best
    if (!lostBuckets.has(before) || gained.has(before)) return before
    const remaining = await this.#firstRemaining(host, before, removed)
    if (remaining === undefined) return best
    return best !== undefined && best < remaining ? best : remaining
  }

  async #firstRemaining(host: string, fromBucket: string, removed: ReadonlySet<string>): Promise<string | undefined> {
    const prefix = `${tables.due}${host}\u0001`
    const range = { gte: prefix + fromBucket, lt: `${tables.due}${host}\u0002` }
    const keys = await this.#level.keys({ ...range, limit: removed.size + 1 }).all() // more than are taken out
    return keys.find(key => !removed.has(key))?.slice(prefix.length, prefix.length + bucketLength)
  }

  #changeOf(key: string): HostChange {
    const host = reversedHostOfKey(key)
    let change = this.#hosts.get(host)
    if (change === undefined) {
      change = { best: undefined, removed: new Set(), lostBuckets: new Set(), gained: new Set() }
      this.#hosts.set(host, change)
    }
    return change
  }
}
