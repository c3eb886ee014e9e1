import type { FetchConfig } from '../config/fetch-options.js'
import type { DelaySource } from '../record/records.js'
import type { RequestReport } from './turns.js'

/** What is remembered of a queue: when it may be asked again, and why not before. JSON as it stands. */
export interface QueuePoliteness {
  /** Epoch ms. */
  readonly nextMs: number
  /** Delay that `nextMs` comes from. */
  readonly delayMs: number
  readonly source: DelaySource
  /** Failed requests in a row. */
  readonly failures: number
  /** Delay that the throttle has come to, ms; 0 without one. */
  readonly throttleMs: number
  /** Whether robots.txt states a Crawl-delay: then one request at a time. */
  readonly isSerial: boolean
}

/** Politeness of all queues, by id: what survives a restart. */
export type PolitenessState = Readonly<Record<string, QueuePoliteness>>

/** A queue as politeness sees it. */
export interface PoliteQueue {
  readonly id: string
  readonly politeness: QueuePoliteness | undefined
  readonly inFlight: number
  readonly items: { readonly length: number }
  readonly waiters: { readonly length: number }
}

/**
 * What of these queues still matters at `nowMs`: those that wait, those with failures that are not forgotten, those being asked now (as if that
 * ended now), and those with work that keep a Crawl-delay, which the next run could not know.
 */
export function politenessOf(queues: Iterable<PoliteQueue>, nowMs: number, config: FetchConfig): PolitenessState {
  const state: Record<string, QueuePoliteness> = {}
  for (const { id, politeness, inFlight, items, waiters } of queues) {
    if (inFlight > 0) {
      const known = politeness ?? unknownPoliteness(nowMs, config)
      state[id] = { ...known, nextMs: Math.max(known.nextMs, nowMs + ownDelayMs(known, config)) }
    } else if (politeness !== undefined) {
      const { nextMs, failures, isSerial } = politeness
      const isRemembered = failures > 0 && nextMs + config.exceptionsClearAfterMs >= nowMs
      if (nextMs > nowMs || isRemembered || (isSerial && items.length + waiters.length > 0)) state[id] = politeness
    }
  }
  return state
}

/** From when on a queue need not be remembered, epoch ms; failures count for `remembersMs` longer. */
export function politenessEndsMs(politeness: QueuePoliteness | undefined, remembersMs: number): number {
  const { nextMs = 0, failures = 0 } = politeness ?? {}
  return failures > 0 ? nextMs + remembersMs : nextMs
}

/** Of a queue of which nothing is known but when it may be asked. */
export function unknownPoliteness(nextMs: number, config: FetchConfig): QueuePoliteness {
  const { delayMs, source } = baseDelay({ endMs: nextMs, tookMs: 0, isException: false }, config)
  return { nextMs, delayMs, source, failures: 0, throttleMs: 0, isSerial: false }
}

/** The delay that a queue keeps after any request, as far as it is known: what failures and Retry-After add counts once. */
export function ownDelayMs({ delayMs, source, isSerial }: QueuePoliteness, config: FetchConfig): number {
  const optionMs = baseDelay({ endMs: 0, tookMs: 0, isException: false }, config).delayMs
  if (source !== 'retry-after' && source !== 'backoff') return delayMs
  const { maxCrawlDelayMs, minCrawlDelayMs } = config
  return isSerial ? Math.min(delayMs, Math.max(maxCrawlDelayMs, minCrawlDelayMs, optionMs)) : Math.min(delayMs, optionMs)
}

const maxDoublings = 31
/** A host that says it is asked too often gets at least this, also where no delay is kept otherwise. */
const leastBackoffMs = 1000

/** The state of a queue after a request (Nutch's FetchItemQueue.finishFetchItem, and Retry-After, and a throttle). Pure. The request may have ended
 *  `grainMs` later than its report says. */
export function afterRequest(before: QueuePoliteness | undefined, report: RequestReport, config: FetchConfig, grainMs = 0): QueuePoliteness {
  const isForgotten = before !== undefined && report.endMs - before.nextMs > config.exceptionsClearAfterMs
  const earlier = before === undefined || isForgotten ? 0 : before.failures
  const failures = report.isException ? earlier + 1 : Math.max(0, earlier - 1)
  const isSerial = report.crawlDelayMs !== undefined && report.crawlDelayMs > 0
  const throttleMs = nextThrottleMs(before?.throttleMs ?? 0, report, config)
  let due = baseDelay(report, config)
  if (throttleMs > due.delayMs) due = { delayMs: throttleMs, source: 'throttle' }
  if (report.isException) {
    const unitMs = report.isThrottled === true ? Math.max(config.exceptionDelayMs, leastBackoffMs) : config.exceptionDelayMs
    const extraMs = Math.min(unitMs * 2 ** Math.min(maxDoublings, failures - 1), Math.max(unitMs, config.maxRetryAfterMs))
    if (extraMs > 0) due = { delayMs: due.delayMs + extraMs, source: 'backoff' }
  }
  if (report.retryAfterMs !== undefined && report.isThrottled === true) {
    // The host itself says how long: that stands instead of our own guess, but never below the ordinary delay.
    due = { delayMs: Math.max(report.retryAfterMs, baseDelay(report, config).delayMs), source: 'retry-after' }
  }
  const heldMs = due.delayMs > 0 ? report.endMs + grainMs + due.delayMs : report.endMs
  const isHeldLonger = before !== undefined && before.nextMs > heldMs // another request of the queue was told to wait longer
  const { delayMs, source } = isHeldLonger ? before : due
  return { nextMs: isHeldLonger ? before.nextMs : heldMs, delayMs, source, failures, throttleMs, isSerial }
}

function baseDelay(report: RequestReport, config: FetchConfig): { readonly delayMs: number; readonly source: DelaySource } {
  if (report.crawlDelayMs !== undefined && report.crawlDelayMs > 0) return { delayMs: report.crawlDelayMs, source: 'crawl-delay' }
  if (report.hostDelayMs !== undefined) return { delayMs: report.hostDelayMs, source: 'option' }
  return { delayMs: config.maxInFlightPerQueue > 1 ? config.minDelayMs : config.delayMs, source: 'option' }
}

/** Heritrix's delay factor, or the rule of Scrapy's AutoThrottle: half way to latency / target, and never lower for a failure. */
function nextThrottleMs(beforeMs: number, { tookMs, isException }: RequestReport, config: FetchConfig): number {
  if (config.throttle === 'off') return 0
  if (config.throttle === 'factor') return Math.min(config.throttleMaxMs, Math.round(tookMs * config.throttleFactor))
  const targetMs = tookMs / config.throttleTarget
  const movedMs = Math.max(targetMs, (beforeMs + targetMs) / 2)
  return Math.min(config.throttleMaxMs, Math.round(isException ? Math.max(beforeMs, movedMs) : movedMs))
}

/** The Crawl-delay to keep, within its bounds; `tooLong` if pages of the host are to be skipped. */
export function boundedCrawlDelayMs(statedMs: number | undefined, config: FetchConfig): number | 'tooLong' | undefined {
  if (statedMs === undefined) return undefined
  const { maxCrawlDelayMs, minCrawlDelayMs, clampsCrawlDelay } = config
  if (maxCrawlDelayMs >= 0 && statedMs > maxCrawlDelayMs) return clampsCrawlDelay ? Math.max(maxCrawlDelayMs, minCrawlDelayMs) : 'tooLong'
  return Math.max(statedMs, minCrawlDelayMs)
}
