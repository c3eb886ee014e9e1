import type { IndexConfig } from '../config/index-options.js'
import { CrawlError } from '../errors/crawl-error.js'
import type { Counters } from '../log/counters.js'
import type { Logger } from '../log/logger.js'
import { type BulkAction, type BulkAnswer, type BulkEntry, type BulkTarget, bulkEntry, type ItemAnswer, isPassing, sendBulk } from './bulk-request.js'

export interface BulkWriterOptions {
  readonly target: BulkTarget
  readonly config: IndexConfig
  readonly log: Logger
  readonly counters: Counters
  readonly signal?: AbortSignal | undefined
  /** Waits between tries. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Called when the engine has answered for all changes up to the one that was added with `position`. */
  readonly onSent?: (position: string) => Promise<void>
}

/** A search engine that asks for more patience than this is asked again all the same. */
const longestWaitMs = 300_000

/**
 * Sends documents to OpenSearch or Elasticsearch by their bulk API. One request is under way at a time, so a slow engine slows the reader down. What the
 * engine could not take now (429, 5xx, no connection) is tried again, the whole request or only the documents concerned; a request that is too large for
 * it is halved; what it refuses is logged by document and counted.
 */
export class BulkWriter {
  readonly #options: BulkWriterOptions
  #waiting: BulkEntry[] = []
  #bytes = 0
  #position = ''
  #putOff = 0

  constructor(options: BulkWriterOptions) {
    this.#options = options
  }

  /** Documents that were given up although a later try may end otherwise: the engine was busy all the time. They count as refused. */
  get putOff(): number {
    return this.#putOff
  }

  /** @param position for `onSent` */
  async add(change: BulkAction, position: string): Promise<void> {
    const { bulkDocuments, bulkBytes } = this.#options.config
    const entry = bulkEntry(change)
    const bytes = Buffer.byteLength(entry.text)
    if (this.#waiting.length >= bulkDocuments || this.#bytes + bytes > bulkBytes) await this.flush()
    this.#waiting.push(entry)
    this.#bytes += bytes
    this.#position = position
  }

  /** Sends what waits. @throws {CrawlError} IO_FAILED if the engine does not take it after all tries; what was sent before stays */
  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    const entries = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    await this.#deliver(entries)
    await this.#options.onSent?.(this.#position)
  }

  async #deliver(entries: readonly BulkEntry[]): Promise<void> {
    const { config, target, signal } = this.#options
    let left = entries
    for (let tries = 0; left.length > 0; tries++) {
      const answer = await sendBulk(target, left, { timeoutMs: config.bulkTimeoutMs, signal })
      if (answer.kind === 'too_large') return this.#halve(left)
      const isLast = tries >= config.bulkRetries
      if (answer.kind === 'items') left = this.#settle(left, answer.items, isLast)
      else this.#noteRetry(answer, isLast)
      if (left.length > 0) await this.#pause(tries, answer)
    }
  }

  async #halve(entries: readonly BulkEntry[]): Promise<void> {
    const [first] = entries
    if (entries.length === 1 && first !== undefined) return this.#refuse(first, { status: 413, reason: 'too large for the engine' })
    const middle = Math.ceil(entries.length / 2)
    await this.#deliver(entries.slice(0, middle))
    await this.#deliver(entries.slice(middle))
  }

  /** Counts what was taken or refused, and gives what is to be tried again. */
  #settle(entries: readonly BulkEntry[], answers: readonly ItemAnswer[], isLast: boolean): BulkEntry[] {
    const { counters } = this.#options
    const again: BulkEntry[] = []
    for (const [index, entry] of entries.entries()) {
      const answer = answers[index] ?? { status: 0, reason: 'no answer' }
      if (answer.status >= 200 && answer.status < 300) counters.add(entry.isDelete ? 'index/deleted' : 'index/added')
      else if (answer.status === 404 && entry.isDelete)
        counters.add('index/deleted') // it was not there
      else if (isPassing(answer.status) && !isLast) again.push(entry)
      else this.#refuse(entry, answer)
    }
    return again
  }

  #refuse({ id }: BulkEntry, { status, reason }: ItemAnswer): void {
    this.#options.counters.add('index/refused')
    if (isPassing(status)) this.#putOff++
    this.#options.log.warn({ url: id, status, reason }, 'document was refused')
  }

  #noteRetry(answer: Extract<BulkAnswer, { readonly kind: 'again' }>, isLast: boolean): void {
    const { log, target } = this.#options
    if (isLast) throw new CrawlError('IO_FAILED', `${target.url}: ${answer.reason}`)
    log.warn({ target: target.url, reason: answer.reason }, 'bulk request is tried again')
  }

  #pause(tries: number, answer: BulkAnswer): Promise<void> {
    const { config, counters, wait, signal } = this.#options
    counters.add('index/bulk_retries')
    const asked = answer.kind === 'again' ? (answer.retryAfterMs ?? 0) : 0
    return wait(Math.min(longestWaitMs, Math.max(asked, config.bulkBackoffMs * 2 ** tries)), signal)
  }
}
