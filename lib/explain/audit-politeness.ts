import type { DelaySource } from '../record/records.js'

/** A request to a queue, as it was recorded. */
export interface AuditedRequest {
  readonly url: string
  /** Epoch ms. */
  readonly startMs: number
  readonly endMs: number
  /** Delay that was due before it, by whoever sent it. */
  readonly dueMs: number
  readonly source: DelaySource
  /** Requests that its queue might have under way at once, this one included. */
  readonly queueLimit: number
  readonly kind: 'page' | 'robots' | 'repeat' | 'sitemap'
  /** When the robots.txt that it was asked under was fetched, epoch ms. */
  readonly robotsFetchedMs?: number | undefined
}

/** A request that came too soon, or while too many were under way. */
export interface Violation {
  readonly url: string
  readonly startMs: number
  /** Since the end of the request before it; negative where that was still under way. */
  readonly gapMs: number
  readonly dueMs: number
  readonly source: DelaySource
}

/** How a queue was asked. */
export interface QueueAudit {
  readonly requests: number
  /** Of those for robots.txt, and what it redirects to. */
  readonly robotsRequests: number
  /** Of those for sitemaps, or made again. */
  readonly otherRequests: number
  /** Between the end of a request and the start of the next, ms; absent where there was one request. */
  readonly smallestGapMs?: number
  readonly medianGapMs?: number
  readonly mostAtOnce: number
  /** Delays that were due, by source: the least and the most, ms, and how often. */
  readonly delays: readonly { readonly source: DelaySource; readonly leastMs: number; readonly mostMs: number; readonly requests: number }[]
  /** When the robots.txt asked last was fetched, epoch ms, and the greatest age of a copy when it was asked. */
  readonly robotsFetchedMs?: number
  readonly robotsAgeMs?: number
  readonly violations: number
  /** The first of them. */
  readonly examples: readonly Violation[]
}

/** Times are whole ms of two clocks, read one after the other. */
const toleranceMs = 2
/** Gaps that the median is taken of: all, up to so many, then one in two, in four, … */
const maxGaps = 8192
const maxExamples = 5
/** Ends of requests that are remembered to judge the next. */
const maxEnds = 256

/**
 * Judges the requests to one queue, given in the order of their starts. Each must come its delay after the end of the one before, and not while
 * more are under way than allowed. Where the due delay belongs to an earlier request of several at once (Retry-After, back-off), some request must
 * have ended that long before. A request for robots.txt that knew of no delay, as the first after a restart does, must keep the one before it.
 */
export class PolitenessAuditor {
  readonly #delays = new Map<DelaySource, { leastMs: number; mostMs: number; requests: number }>()
  readonly #examples: Violation[] = []
  #gaps: number[] = []
  #gapStep = 1
  #gapCount = 0
  #smallestGapMs: number | undefined
  #ends: number[] = []
  #lastEndMs: number | undefined
  #usualMs = 0
  #requests = 0
  #robotsRequests = 0
  #otherRequests = 0
  #mostAtOnce = 0
  #violations = 0
  #robotsFetchedMs: number | undefined
  #robotsAgeMs: number | undefined

  add(request: AuditedRequest): void {
    const { startMs, endMs, dueMs, source, kind } = request
    this.#requests++
    if (kind === 'robots') this.#robotsRequests++
    else if (kind !== 'page') this.#otherRequests++
    this.#noteDelay(source, dueMs)
    this.#noteRobots(request)
    const underWay = this.#ends.filter(end => end > startMs).length
    this.#mostAtOnce = Math.max(this.#mostAtOnce, underWay + 1)
    this.#judge(request, underWay)
    if ((source === 'option' || source === 'crawl-delay') && (dueMs > 0 || kind === 'page')) this.#usualMs = dueMs
    this.#ends.push(endMs)
    if (this.#ends.length > maxEnds) this.#ends = this.#ends.slice(-maxEnds / 2)
    this.#lastEndMs = Math.max(this.#lastEndMs ?? endMs, endMs)
  }

  audit(): QueueAudit {
    const gaps = [...this.#gaps].sort((a, b) => a - b)
    const median = gaps[Math.floor((gaps.length - 1) / 2)]
    return {
      requests: this.#requests,
      robotsRequests: this.#robotsRequests,
      otherRequests: this.#otherRequests,
      ...(this.#smallestGapMs === undefined ? {} : { smallestGapMs: this.#smallestGapMs }),
      ...(median === undefined ? {} : { medianGapMs: median }),
      mostAtOnce: this.#mostAtOnce,
      delays: [...this.#delays].map(([source, delay]) => ({ source, ...delay })),
      ...(this.#robotsFetchedMs === undefined ? {} : { robotsFetchedMs: this.#robotsFetchedMs }),
      ...(this.#robotsAgeMs === undefined ? {} : { robotsAgeMs: this.#robotsAgeMs }),
      violations: this.#violations,
      examples: this.#examples,
    }
  }

  #judge({ url, startMs, dueMs, source, kind, queueLimit }: AuditedRequest, underWay: number): void {
    if (this.#lastEndMs === undefined) return
    const allowed = source === 'crawl-delay' ? 1 : queueLimit
    // Of several at once one may end in the moment in which another begins: that was not known when it was let go.
    const knownMs = allowed > 1 ? startMs - toleranceMs : startMs
    const before = this.#ends.filter(end => end <= knownMs)
    const latestEndMs = before.length === 0 ? undefined : Math.max(...before)
    const gapMs = latestEndMs === undefined || allowed === 1 ? startMs - this.#lastEndMs : startMs - latestEndMs
    if (underWay === 0 || allowed > 1) this.#noteGap(gapMs)
    const wantedMs = dueMs === 0 && kind !== 'page' ? this.#usualMs : dueMs
    const isEarlierOnes = allowed > 1 && (source === 'retry-after' || source === 'backoff')
    const isTooSoon = isEarlierOnes ? !before.some(end => startMs - end >= wantedMs - toleranceMs) : gapMs < wantedMs - toleranceMs
    const isTooSoonAfterAny = latestEndMs !== undefined && isTooSoon
    if (underWay < allowed && !isTooSoonAfterAny) return
    this.#violations++
    if (this.#examples.length < maxExamples) this.#examples.push({ url, startMs, gapMs, dueMs: wantedMs, source })
  }

  #noteGap(gapMs: number): void {
    if (gapMs < 0) return
    if (this.#smallestGapMs === undefined || gapMs < this.#smallestGapMs) this.#smallestGapMs = gapMs
    if (this.#gapCount++ % this.#gapStep !== 0) return
    if (this.#gaps.push(gapMs) < maxGaps) return
    this.#gaps = this.#gaps.filter((_, index) => index % 2 === 0)
    this.#gapStep *= 2
  }

  #noteDelay(source: DelaySource, dueMs: number): void {
    const known = this.#delays.get(source)
    if (known === undefined) this.#delays.set(source, { leastMs: dueMs, mostMs: dueMs, requests: 1 })
    else {
      known.leastMs = Math.min(known.leastMs, dueMs)
      known.mostMs = Math.max(known.mostMs, dueMs)
      known.requests++
    }
  }

  #noteRobots({ robotsFetchedMs, startMs }: AuditedRequest): void {
    if (robotsFetchedMs === undefined) return
    this.#robotsFetchedMs = Math.max(this.#robotsFetchedMs ?? 0, robotsFetchedMs)
    this.#robotsAgeMs = Math.max(this.#robotsAgeMs ?? 0, startMs - robotsFetchedMs)
  }
}
