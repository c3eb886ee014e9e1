import type { FetchConfig } from '../config/fetch-options.js'
import { metadataKeys } from '../record/metadata.js'
import type { CrawlDatum, SideRequest } from '../record/records.js'
import { headerValue } from './header-list.js'
import { retryAfterMs } from './http-date.js'
import type { HttpResult } from './http-result.js'
import { statusRule } from './status-rules.js'
import type { RequestReport, Turn } from './turns.js'

/** What the end of a request means for its queue. */
export function requestReport(
  result: HttpResult,
  delays: { readonly crawlDelayMs?: number | undefined; readonly hostDelayMs?: number | undefined },
  config: FetchConfig,
): RequestReport {
  const { startMs, endMs } = result.timing
  const isThrottled = result.isAnswer && (result.status === 429 || result.status === 503)
  const askedMs = isThrottled ? retryAfterMs(headerValue(result.headers, 'retry-after'), endMs, config.maxRetryAfterMs) : undefined
  return {
    endMs,
    tookMs: endMs - startMs,
    isException: isException(result),
    isThrottled,
    ...(askedMs === undefined ? {} : { retryAfterMs: askedMs }),
    ...(delays.crawlDelayMs === undefined ? {} : { crawlDelayMs: delays.crawlDelayMs }),
    ...(delays.hostDelayMs === undefined ? {} : { hostDelayMs: delays.hostDelayMs }),
  }
}

function isException(result: HttpResult): boolean {
  if (result.isAnswer) return statusRule(result.status, true).isException
  if (result.isStale === true) return false
  const { failureClass } = result.failure
  return failureClass !== 'aborted' && failureClass !== 'guard'
}

/** A note of a request that has no outcome of its own; `url` is what was asked for where there was no answer. */
export function sideRequest({ queueId, dueDelayMs, delaySource }: Turn, result: HttpResult, url: string): SideRequest {
  const { startMs, endMs } = result.timing
  return { url: result.isAnswer ? result.exchange.url : url, queueId, startMs, endMs, queueDelayMs: dueDelayMs, delaySource }
}

/** The delay that generate set for the host of a record, ms. */
export function hostDelayOf({ metadata }: CrawlDatum): number | undefined {
  const text = metadata[metadataKeys.variableFetchDelay]
  const delayMs = text === undefined ? Number.NaN : Number(text)
  return Number.isFinite(delayMs) && delayMs >= 0 ? delayMs : undefined
}
