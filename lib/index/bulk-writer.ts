import { request } from 'undici'
import type { IndexConfig } from '../config/index-options.js'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import type { Counters } from '../log/counters.js'
import type { Logger } from '../log/logger.js'
import { isJsonObject } from '../record/line-format.js'
import type { IndexDocument } from './document.js'

/** One change to the index. */
export type BulkAction = { readonly action: 'add'; readonly document: IndexDocument } | { readonly action: 'delete'; readonly id: string }

export interface BulkWriterOptions {
  /** Address of the engine with the index: `http://localhost:9200/pages`. */
  readonly url: string
  readonly config: IndexConfig
  readonly log: Logger
  readonly counters: Counters
  readonly signal?: AbortSignal | undefined
  /** Waits between tries. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
}

interface Waiting {
  readonly id: string
  readonly text: string
  readonly isDelete: boolean
}

/**
 * Sends documents to OpenSearch or Elasticsearch by their bulk API. One request is under way at a time, so a slow engine slows the reader down. What the
 * engine could not take now (429, 5xx, no connection) is tried again, the whole request or only the documents concerned; what it refuses is logged by
 * document and counted.
 */
export class BulkWriter {
  readonly #options: BulkWriterOptions
  readonly #target: string
  #waiting: Waiting[] = []
  #bytes = 0

  constructor(options: BulkWriterOptions) {
    this.#options = options
    this.#target = `${options.url.replace(/\/+$/, '')}/_bulk`
  }

  async add(change: BulkAction): Promise<void> {
    const { bulkDocuments, bulkBytes } = this.#options.config
    const entry = toEntry(change)
    const bytes = Buffer.byteLength(entry.text)
    if (this.#waiting.length > 0 && (this.#waiting.length >= bulkDocuments || this.#bytes + bytes > bulkBytes)) await this.flush()
    this.#waiting.push(entry)
    this.#bytes += bytes
  }

  /** Sends what waits. @throws {CrawlError} IO_FAILED if the engine does not take it after all tries; what was sent before stays */
  async flush(): Promise<void> {
    let left = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    const { config, wait, signal } = this.#options
    for (let tries = 0; left.length > 0; tries++) {
      if (tries > 0) await wait(config.bulkBackoffMs * 2 ** (tries - 1), signal)
      const isLast = tries >= config.bulkRetries
      left = await this.#send(left, isLast)
    }
  }

  /** Gives the entries to be tried again. */
  async #send(entries: readonly Waiting[], isLast: boolean): Promise<Waiting[]> {
    const { counters, log } = this.#options
    const answer = await this.#post(entries.map(entry => entry.text).join(''))
    if (typeof answer === 'string') {
      if (isLast) throw new CrawlError('IO_FAILED', `${this.#target}: ${answer}`)
      counters.add('index/bulk_retries')
      log.warn({ target: this.#target, reason: answer }, 'bulk request is tried again')
      return [...entries]
    }
    const again: Waiting[] = []
    for (const [index, entry] of entries.entries()) {
      const { status, reason } = answer[index] ?? { status: 0, reason: 'no answer for this document' }
      if (status >= 200 && status < 300) counters.add(entry.isDelete ? 'index/deleted' : 'index/added')
      else if (status === 404 && entry.isDelete) counters.add('index/deleted')
      else if ((status === 429 || status >= 500) && !isLast) again.push(entry)
      else {
        counters.add('index/refused')
        log.warn({ url: entry.id, status, reason }, 'document was refused')
      }
    }
    return again
  }

  /** The answer for each entry, or why there is none. @throws {CrawlError} IO_FAILED for an answer that trying again does not change */
  async #post(body: string): Promise<readonly ItemAnswer[] | string> {
    const { config, signal } = this.#options
    const authorization = config.user === '' ? {} : { authorization: `Basic ${Buffer.from(config.user).toString('base64')}` }
    try {
      const response = await request(this.#target, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', ...authorization },
        body,
        headersTimeout: config.bulkTimeoutMs,
        bodyTimeout: config.bulkTimeoutMs,
        ...(signal === undefined ? {} : { signal }),
      })
      const text = await response.body.text()
      if (response.statusCode === 429 || response.statusCode >= 500) return `status ${response.statusCode}`
      if (response.statusCode >= 300) throw new CrawlError('IO_FAILED', `${this.#target}: status ${response.statusCode}: ${text.slice(0, 500)}`)
      return itemAnswers(JSON.parse(text))
    } catch (error) {
      if (error instanceof CrawlError) throw error
      signal?.throwIfAborted()
      return messageOf(error)
    }
  }
}

interface ItemAnswer {
  readonly status: number
  readonly reason: string
}

function itemAnswers(json: unknown): ItemAnswer[] {
  const items = isJsonObject(json) && Array.isArray(json.items) ? json.items : []
  return items.map(item => {
    const result: unknown = isJsonObject(item) ? Object.values(item)[0] : undefined
    if (!isJsonObject(result)) return { status: 0, reason: 'unreadable answer' }
    return { status: Number(result.status) || 0, reason: JSON.stringify(result.error ?? '') }
  })
}

function toEntry(change: BulkAction): Waiting {
  if (change.action === 'delete') return { id: change.id, isDelete: true, text: `${JSON.stringify({ delete: { _id: change.id } })}\n` }
  const { id, fields } = change.document
  return { id, isDelete: false, text: `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(fields)}\n` }
}
