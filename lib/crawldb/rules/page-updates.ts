import type { Metadata } from '../../record/metadata.js'
import { lockKeys, metadataKeys, withoutMetadata } from '../../record/metadata.js'
import { protocolStatusText } from '../../record/protocol-status.js'
import type { CrawlDatum, DbDatum, FetchOutcome } from '../../record/records.js'
import type { FetchStatus } from '../../record/status.js'
import type { Url } from '../../record/url.js'
import type { LinkContribution } from '../../score/scoring-filter.js'

/** What crawl_parse says of the page itself. */
export interface ParseUpdate {
  readonly status: 'signature' | 'parse_failed'
  readonly signature?: Uint8Array
  readonly metadata: Metadata
}

/** All that one job has to say of one URL. */
export interface PageUpdates {
  readonly url: Url
  /** The newest fetch: an outcome of ours, or a CrawlDatum with a fetch status as Nutch's crawl_fetch holds it. */
  readonly fetch?: FetchOutcome | (CrawlDatum & { readonly status: FetchStatus })
  /** Segment that the fetch belongs to; without it what the fetched record says. */
  readonly segment?: string
  readonly parse?: ParseUpdate
  readonly links: readonly LinkContribution[]
}

/** A fetch in the one form that the state table reads. */
export interface Fetched {
  readonly status: FetchStatus | 'parse_failed'
  /** Interval, retries, score and metadata that the new record starts from; its status is not read. */
  readonly base: DbDatum
  /** When it was fetched, epoch ms. */
  readonly fetchTimeMs: number
  /** Modification time as the record had it when it was fetched, epoch ms. */
  readonly modifiedTimeMs: number
  readonly signature: Uint8Array | undefined
  /** Segment of the fetch, if it is known. */
  readonly segment: string | undefined
}

/** The fetch among `updates`, or undefined if there is none. A failed parse counts as one (NUTCH-1732). */
export function fetchedOf(old: DbDatum | undefined, updates: PageUpdates, nowMs: number): Fetched | undefined {
  const { fetch, parse } = updates
  if (fetch === undefined) return parse?.status === 'parse_failed' ? fromParseFailure(old, updates.url, nowMs) : undefined
  const fetched = 'protocolStatus' in fetch ? fromOutcome(old, fetch, updates) : fromDatum(old, fetch, updates)
  return parse?.status === 'parse_failed' && fetch.status === 'fetch_success' ? { ...fetched, status: 'parse_failed' } : fetched
}

/** An operator may have changed the record while the fetch was under way, so all that the fetch does not tell is the old record's if there is one. The
 *  server's Last-Modified stays in metadata: what counts as a change is judged by signature (as in Nutch). */
function fromOutcome(old: DbDatum | undefined, outcome: FetchOutcome, { segment, parse }: PageUpdates): Fetched {
  const { datum, status } = outcome
  const metadata = { [metadataKeys.protocolStatus]: protocolStatusOf(outcome), ...outcome.metadata }
  const source = old ?? datum
  return {
    status,
    base: { ...source, url: outcome.url, metadata: overlay(source.metadata, metadata, status, old?.metadata) },
    fetchTimeMs: outcome.fetchTimeMs ?? outcome.timing.endMs,
    modifiedTimeMs: source.modifiedTimeMs,
    signature: isIncomplete(outcome) ? undefined : parse?.signature,
    segment: segment ?? outcome.metadata[metadataKeys.segmentName] ?? datum.metadata[metadataKeys.segmentName],
  }
}

/** Whether only a part came of what is there. It has no signature: it is compared with nothing, and the next fetch does not ask whether it has changed, for
 *  a 304 would leave it at the part (RFC 9111 §3.3). What was cut at our own limit would be cut there again, and stands for the page. */
function isIncomplete({ truncated, httpStatus }: FetchOutcome): boolean {
  return truncated !== undefined && (truncated !== 'length' || httpStatus === 206)
}

/** Nutch names the target of a redirect, the URL that was not found, and the message of an exception. */
function protocolStatusOf({ url, protocolStatus, modifiedTimeMs = 0, redirect, cause }: FetchOutcome): string {
  const message = protocolStatus === 'exception' ? cause : protocolStatus === 'notfound' ? url : redirect?.to
  return protocolStatusText(protocolStatus, modifiedTimeMs, message)
}

function fromDatum(old: DbDatum | undefined, fetch: CrawlDatum & { readonly status: FetchStatus }, { segment, parse }: PageUpdates): Fetched {
  const metadata = overlay(old?.metadata ?? {}, fetch.metadata, fetch.status, old?.metadata)
  return {
    status: fetch.status,
    base: { ...fetch, status: 'db_unfetched', metadata },
    fetchTimeMs: fetch.fetchTimeMs,
    modifiedTimeMs: fetch.modifiedTimeMs,
    signature: parse?.signature ?? fetch.signature,
    segment: segment ?? fetch.metadata[metadataKeys.segmentName],
  }
}

function fromParseFailure(old: DbDatum | undefined, url: Url, nowMs: number): Fetched {
  const base: DbDatum = old ?? {
    url,
    status: 'db_unfetched',
    fetchTimeMs: nowMs,
    modifiedTimeMs: 0,
    retries: 0,
    fetchIntervalS: 0,
    score: 0,
    metadata: {},
  }
  return { status: 'parse_failed', base, fetchTimeMs: nowMs, modifiedTimeMs: base.modifiedTimeMs, signature: undefined, segment: undefined }
}

/** `base` with what the fetch said on top; what an earlier answer said and this one does not repeat is dropped: the cause of a failure, and
 *  validators once the content is another's. A lock is the CrawlDb's own: never taken from a fetch. */
function overlay(base: Metadata, fetched: Metadata, status: FetchStatus, locked: Metadata | undefined): Metadata {
  const stale = status === 'fetch_notmodified' || status === 'fetch_retry' ? staleAlways : staleWithContent
  const result: Record<string, string> = {}
  for (const key of Object.keys(base)) if (!stale.includes(key)) result[key] = base[key] as string // its own key
  for (const key of Object.keys(fetched)) if (!lockKeys.includes(key)) result[key] = fetched[key] as string // its own key
  for (const key of lockKeys) if (locked?.[key] !== undefined) result[key] = locked[key]
  return result
}

const staleAlways: readonly string[] = [metadataKeys.cause, ...lockKeys]
const staleWithContent: readonly string[] = [...staleAlways, metadataKeys.etag, metadataKeys.lastModified]

/** Without the lock, if it is that of the fetch's segment, or if either of them is not known. */
export function withoutLock(metadata: Metadata, segment: string | undefined): Metadata {
  const holder = metadata[metadataKeys.segmentName]
  return holder === undefined || segment === undefined || holder === segment ? withoutMetadata(metadata, lockKeys) : metadata
}

/** Without what is true of one fetch of one page only, and would be false of a page that takes the metadata over, such as a redirect's target. */
export function withoutFetchFacts(metadata: Metadata): Metadata {
  return withoutMetadata(metadata, fetchFacts)
}

const { protocolStatus, responseTime, httpCode, contentType, etag, lastModified, cause } = metadataKeys
const fetchFacts: readonly string[] = [...lockKeys, protocolStatus, responseTime, httpCode, contentType, etag, lastModified, cause]

export function withoutAnyLock(metadata: Metadata): Metadata {
  return withoutMetadata(metadata, lockKeys)
}
