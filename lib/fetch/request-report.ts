import type { FetchConfig } from '../config/fetch-options.js'
import { metadataKeys } from '../record/metadata.js'
import type { CrawlDatum, FetchOutcome, SideRequest } from '../record/records.js'
import { hostOf } from '../url/hosts.js'
import { type HeaderList, headerValue } from './header-list.js'
import { retryAfterMs } from './http-date.js'
import type { HttpResult } from './http-result.js'
import { statusRule } from './status-rules.js'
import { type RequestReport, type Turn, turnFacts } from './turns.js'

/** What the end of a request means for its queue. */
export function requestReport(
  result: HttpResult,
  delays: { readonly crawlDelayMs?: number | undefined; readonly hostDelayMs?: number | undefined },
  config: FetchConfig,
): RequestReport {
  const { startMs, endMs } = result.timing
  const isThrottled = result.isAnswer && (result.status === 429 || result.status === 503)
  const askedMs = isThrottled ? askedWaitMs(result.headers, endMs, config) : undefined
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

function askedWaitMs(headers: HeaderList, nowMs: number, { maxRetryAfterMs: maxMs }: FetchConfig): number | undefined {
  return retryAfterMs(headerValue(headers, 'retry-after'), { nowMs, maxMs, date: headerValue(headers, 'date') })
}

function isException(result: HttpResult): boolean {
  if (result.isAnswer) return statusRule(result.status, true).isException
  if (result.isStale === true) return false
  const { failureClass } = result.failure
  return failureClass !== 'aborted' && failureClass !== 'guard'
}

/** Whether the host was asked at all: a name without an address and an address that the guard refuses are not. */
export function reachedHost(result: HttpResult): boolean {
  return result.isAnswer || (result.failure.failureClass !== 'guard' && result.failure.failureClass !== 'dns')
}

/** A note of a request that has no outcome of its own, if one was sent; `url` is what was asked for where there was no answer. */
export function noteSideRequest(turn: Turn, result: HttpResult, { url, kind }: Pick<SideRequest, 'url' | 'kind'>): SideRequest[] {
  if (!reachedHost(result)) return []
  const { startMs, endMs } = result.timing
  return [
    {
      url: result.isAnswer ? result.exchange.url : url,
      queueId: turn.queueId,
      startMs,
      endMs,
      ...turnFacts(turn),
      ...(kind === undefined ? {} : { kind }),
    },
  ]
}

/** The delay that generate set for the host of a record, ms. */
export function hostDelayOf({ metadata }: CrawlDatum): number | undefined {
  const text = metadata[metadataKeys.variableFetchDelay]
  const delayMs = text === undefined ? Number.NaN : Number(text)
  return Number.isFinite(delayMs) && delayMs >= 0 ? delayMs : undefined
}

/** The request of an outcome itself, if there was one. */
export function ownRequest({ url, timing, queueDelayMs, delaySource, queueId, queueLimit }: FetchOutcome): Omit<SideRequest, 'kind'>[] {
  if (queueDelayMs === undefined || delaySource === undefined) return []
  const { startMs, endMs } = timing
  const limit = queueLimit === undefined ? {} : { queueLimit }
  return [{ url, queueId: queueId ?? hostOf(url), startMs, endMs, queueDelayMs, delaySource, ...limit }]
}
