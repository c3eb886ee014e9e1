import type { Level } from '../store/level-store.js'
import { bucketLength } from './sort-bucket.js'
import { endOf, tables } from './tables.js'

/** Walks what one host has due, best first. Holds no iterator open: a selection may touch a great many hosts. */
export class HostCursor {
  readonly host: string
  readonly #level: Level
  readonly #prefix: string
  #from: string
  #keys: string[] = []
  #index = 0
  #readSize = 4
  #hasEnded = false

  constructor(level: Level, host: string) {
    this.#level = level
    this.host = host
    this.#prefix = `${tables.due}${host}\u0001`
    this.#from = this.#prefix
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
    if (this.#index >= this.#keys.length && !this.#hasEnded) {
      this.#keys = await this.#level.keys({ gt: this.#from, lt: `${tables.due}${this.host}\u0002`, limit: this.#readSize }).all()
      this.#index = 0
      this.#hasEnded = this.#keys.length < this.#readSize
      this.#from = this.#keys[this.#keys.length - 1] ?? this.#from
      this.#readSize = Math.min(this.#readSize * 4, 1024)
    }
    return this.#keys[this.#index]
  }
}

/** Walks the hosts that have something due, those with the best head first. */
export class HeadsCursor {
  readonly #level: Level
  #from: string = tables.heads
  #keys: string[] = []
  #index = 0
  #hasEnded = false

  constructor(level: Level) {
    this.#level = level
  }

  async bucket(): Promise<string | undefined> {
    const next = await this.#peek()
    return next?.slice(tables.heads.length, tables.heads.length + bucketLength)
  }

  /** The next host if its head is in `bucket`. */
  async take(bucket: string): Promise<HostCursor | undefined> {
    const next = await this.#peek()
    if (next === undefined || !next.startsWith(bucket, tables.heads.length)) return undefined
    this.#index++
    return new HostCursor(this.#level, next.slice(tables.heads.length + bucketLength))
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
