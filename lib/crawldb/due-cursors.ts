import type { Level } from '../store/level-store.js'
import { readStretches, type Stretch } from '../store/read-stretches.js'
import { bucketLength } from './sort-bucket.js'
import { endOf, tables } from './tables.js'

/** Walks what one host has due, best first and from a bucket on. Holds no iterator open: a selection may touch a great many hosts. */
export class HostCursor {
  readonly host: string
  readonly #level: Level
  readonly #prefix: string
  #from: string
  #keys: string[] = []
  #index = 0
  #readSize = 4
  #hasEnded = false

  constructor(level: Level, host: string, fromBucket = '') {
    this.#level = level
    this.host = host
    this.#prefix = `${tables.due}${host}\u0001`
    this.#from = this.#prefix + fromBucket
  }

  /** Entries in memory. */
  get heldEntries(): number {
    return this.#keys.length
  }

  /** Bucket of the next entry, or undefined at the end. */
  async bucket(): Promise<string | undefined> {
    const next = await this.#peek()
    return next?.slice(this.#prefix.length, this.#prefix.length + bucketLength)
  }

  /** Key of the next entry if that is in `bucket`. */
  async take(bucket: string): Promise<string | undefined> {
    const next = await this.#peek()
    if (next === undefined || !next.startsWith(bucket, this.#prefix.length)) return undefined
    this.#index++
    return `${this.host}\u0001${next.slice(this.#prefix.length + bucketLength)}`
  }

  async #peek(): Promise<string | undefined> {
    await HostCursor.readAhead(this.#level, [this])
    return this.#keys[this.#index]
  }

  get #needsRead(): boolean {
    return this.#index >= this.#keys.length && !this.#hasEnded
  }

  /** What the cursor is to read next. */
  get #stretch(): Stretch {
    return { gt: this.#from, lt: `${tables.due}${this.host}\u0002`, limit: this.#readSize }
  }

  #take(keys: string[]): void {
    this.#keys = keys
    this.#index = 0
    this.#hasEnded = keys.length < this.#readSize
    this.#from = keys[keys.length - 1] ?? this.#from
    this.#readSize = Math.min(this.#readSize * 4, 1024)
  }

  /** Brings the next entries of different hosts into memory, where they are not there. */
  static async readAhead(level: Level, cursors: readonly HostCursor[]): Promise<void> {
    const reading = cursors.filter(cursor => cursor.#needsRead).sort((a, b) => (a.host < b.host ? -1 : 1))
    if (reading.length === 0) return
    const found = await readStretches(
      level,
      reading.map(cursor => cursor.#stretch),
    )
    for (const [index, cursor] of reading.entries()) cursor.#take(found[index] ?? [])
  }
}

export interface HeadsOptions {
  /** How many hosts have their first entries read together, before they are asked for. @defaultValue 0 */
  readonly hostsAhead?: number
  /** Whether a host's entries need not be read, since nobody wants them. @defaultValue never */
  readonly isDone?: (host: string) => boolean
}

/** Walks the hosts that have something due, those with the best head first. */
export class HeadsCursor {
  readonly #level: Level
  readonly #options: HeadsOptions
  /** Cursors of the next hosts, in order. */
  #ahead: HostCursor[] = []
  #from: string = tables.heads
  #keys: string[] = []
  #index = 0
  #hasEnded = false

  constructor(level: Level, options: HeadsOptions = {}) {
    this.#level = level
    this.#options = options
  }

  async bucket(): Promise<string | undefined> {
    const next = await this.#peek()
    return next?.slice(tables.heads.length, tables.heads.length + bucketLength)
  }

  /** The next host if its head is in `bucket`. */
  async take(bucket: string): Promise<HostCursor | undefined> {
    const next = await this.#peek()
    if (next === undefined || !next.startsWith(bucket, tables.heads.length)) return undefined
    if (this.#ahead.length === 0) await this.#openAhead()
    this.#index++
    return this.#ahead.shift()
  }

  async #openAhead(): Promise<void> {
    const { hostsAhead = 0, isDone = () => false } = this.#options
    const keys = this.#keys.slice(this.#index, this.#index + Math.max(hostsAhead, 1))
    this.#ahead = keys.map(key => new HostCursor(this.#level, key.slice(tables.heads.length + bucketLength)))
    if (hostsAhead === 0) return
    await HostCursor.readAhead(
      this.#level,
      this.#ahead.filter(({ host }) => !isDone(host)),
    )
  }

  async #peek(): Promise<string | undefined> {
    const entriesPerRead = 512
    if (this.#index >= this.#keys.length && !this.#hasEnded) {
      this.#keys = await this.#level.keys({ gt: this.#from, lt: endOf(tables.heads), limit: entriesPerRead }).all()
      this.#index = 0
      this.#hasEnded = this.#keys.length < entriesPerRead
      this.#from = this.#keys[this.#keys.length - 1] ?? this.#from
    }
    return this.#keys[this.#index]
  }
}
