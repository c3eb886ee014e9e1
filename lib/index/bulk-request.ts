import { createHash } from 'node:crypto'
import { request } from 'undici'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import { isJsonObject } from '../record/line-format.js'
import type { IndexDocument } from './document.js'

/** One change to the index. */
export type BulkAction = { readonly action: 'add'; readonly document: IndexDocument } | { readonly action: 'delete'; readonly id: string }

/** A change as it is sent. */
export interface BulkEntry {
  readonly id: string
  /** The lines of the bulk format, each with its LF. */
  readonly text: string
  readonly isDelete: boolean
}

/** Where changes are sent to. */
export interface BulkTarget {
  /** Without user and password: fit for messages. */
  readonly url: string
  readonly authorization?: string
}

/** What the engine says of one entry. */
export interface ItemAnswer {
  readonly status: number
  readonly reason: string
}

export type BulkAnswer =
  | { readonly kind: 'items'; readonly items: readonly ItemAnswer[] }
  /** Nothing was taken, or it is not known what was: sending again is safe, for entries are keyed. */
  | { readonly kind: 'again'; readonly reason: string; readonly retryAfterMs?: number }
  | { readonly kind: 'too_large' }

export interface BulkRequestOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** The bulk address of an index, `http://localhost:9200/pages`. @param user `user:password`, where the address holds none
 *  @throws {CrawlError} USAGE */
export function bulkTarget(address: string, user = ''): BulkTarget {
  const url = new URL(URL.canParse(address) ? address : 'none:')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new CrawlError('USAGE', `${address} is no http address`)
  if (url.pathname === '/') throw new CrawlError('USAGE', `${address} names no index: http://localhost:9200/pages is wanted`)
  const given = url.username === '' ? user : `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = url.password = ''
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/_bulk`
  return { url: url.href, ...(given === '' ? {} : { authorization: `Basic ${Buffer.from(given).toString('base64')}` }) }
}

export function bulkEntry(change: BulkAction): BulkEntry {
  if (change.action === 'delete') return { id: change.id, isDelete: true, text: `${JSON.stringify({ delete: { _id: engineId(change.id) } })}\n` }
  const { id, fields } = change.document
  return { id, isDelete: false, text: `${JSON.stringify({ index: { _id: engineId(id) } })}\n${JSON.stringify(fields)}\n` }
}

/** The engines' limit for `_id`, bytes. */
const maxIdBytes = 512

/** A longer id is sent as its hash; the document's own field `id` has it whole. */
function engineId(id: string): string {
  return Buffer.byteLength(id) <= maxIdBytes ? id : `sha256:${createHash('sha256').update(id).digest('hex')}`
}

/** Sends entries in one request. @throws {CrawlError} IO_FAILED for an answer that sending again does not change */
export async function sendBulk(target: BulkTarget, entries: readonly BulkEntry[], { timeoutMs, signal }: BulkRequestOptions): Promise<BulkAnswer> {
  const { url, authorization } = target
  try {
    const { statusCode, headers, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...(authorization === undefined ? {} : { authorization }) },
      body: entries.map(({ text }) => text).join(''),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await body.text()
    if (statusCode === 413) return { kind: 'too_large' }
    if (isPassing(statusCode)) return { kind: 'again', reason: `status ${statusCode}`, ...retryAfter(headers['retry-after']) }
    if (statusCode < 200 || statusCode >= 300) throw new CrawlError('IO_FAILED', `${url}: status ${statusCode}: ${text.slice(0, 500)}`)
    return readAnswer(text, entries.length)
  } catch (error) {
    if (error instanceof CrawlError) throw error
    signal?.throwIfAborted()
    return { kind: 'again', reason: messageOf(error) }
  }
}

/** Whether a later try may end otherwise. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Seconds, as the engines give it. */
function retryAfter(value: string | string[] | undefined): { readonly retryAfterMs?: number } {
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? { retryAfterMs: Number(value) * 1000 } : {}
}

function readAnswer(text: string, count: number): BulkAnswer {
  const json: unknown = JSON.parse(text)
  const items = isJsonObject(json) && Array.isArray(json.items) ? json.items.map(itemAnswer) : []
  return items.length === count ? { kind: 'items', items } : { kind: 'again', reason: `answers for ${items.length} of ${count} documents` }
}

function itemAnswer(item: unknown): ItemAnswer {
  const result: unknown = isJsonObject(item) ? Object.values(item)[0] : undefined
  if (!isJsonObject(result)) return { status: 0, reason: 'the answer does not read' }
  const { error } = result
  const reason = isJsonObject(error) && typeof error.reason === 'string' ? `${String(error.type)}: ${error.reason}` : JSON.stringify(error ?? '')
  return { status: Number(result.status) || 0, reason }
}
