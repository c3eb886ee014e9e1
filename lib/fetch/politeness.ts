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

/** What of these queues still matters at `nowMs`. */
export function politenessOf(
  queues: Iterable<{ readonly id: string; readonly politeness: QueuePoliteness | undefined }>,
  nowMs: number,
): PolitenessState {
  const state: Record<string, QueuePoliteness> = {}
  for (const { id, politeness } of queues) {
    if (politeness !== undefined && (politeness.nextMs > nowMs || politeness.failures > 0)) state[id] = politeness
  }
  return state
}

const maxDoublings = 31
/** A host that says it is asked too often gets at least this, also where no delay is kept otherwise. */
const leastBackoffMs = 1000

/** The state of a queue after a request (Nutch's FetchItemQueue.finishFetchItem, and Retry-After, and a throttle). Pure. */
export function afterRequest(before: QueuePoliteness | undefined, report: RequestReport, config: FetchConfig): QueuePoliteness {
  const isForgotten = before !== undefined && report.endMs - before.nextMs > config.exceptionsClearAfterMs
  const earlier = before === undefined || isForgotten ? 0 : before.failures
  const failures = report.isException ? earlier + 1 : Math.max(0, earlier - 1)
  const isSerial = report.crawlDelayMs !== undefined && report.crawlDelayMs > 0
  const throttleMs = nextThrottleMs(before?.throttleMs ?? 0, report, config)
  let due = baseDelay(report, config)
  if (throttleMs > due.delayMs) due = { delayMs: throttleMs, source: 'throttle' }
  if (report.isException) {
    const unitMs = report.isThrottled === true ? Math.max(config.exceptionDelayMs, leastBackoffMs) : config.exceptionDelayMs
    const extraMs = unitMs * 2 ** Math.min(maxDoublings, failures - 1)
    if (extraMs > 0) due = { delayMs: due.delayMs + extraMs, source: 'backoff' }
  }
  if (report.retryAfterMs !== undefined && report.isThrottled === true) {
    // The host itself says how long: that stands instead of our own guess, but never below the ordinary delay.
    due = { delayMs: Math.max(report.retryAfterMs, baseDelay(report, config).delayMs), source: 'retry-after' }
  }
  const heldMs = report.endMs + due.delayMs
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
