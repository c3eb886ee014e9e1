import type { FetchedPage } from '../record/exchange.js'
import type { DelaySource } from '../record/records.js'
import { RateWindow } from './rate-window.js'

/** A fetch queue that waits until it may be asked again. */
export interface QueueWait {
  readonly queueId: string
  /** How long still, ms. */
  readonly waitMs: number
  /** The delay that it keeps, ms, and where that comes from. */
  readonly delayMs: number
  readonly source: DelaySource
  readonly failures: number
}

/** Fetch queues as they are now. */
export interface QueueFacts {
  /** With a request under way. */
  readonly active: number
  /** That wait for their time. */
  readonly waiting: number
  /** Those, by where their delay came from. */
  readonly waitingBy: Readonly<Partial<Record<DelaySource, number>>>
  /** That may be asked, and have something to be asked for. */
  readonly ready: number
  /** Those that wait longest, longest first. */
  readonly slowest: readonly QueueWait[]
}

/** What shows the state of a fetch under way. */
export interface FetchProbe {
  inFlight(): number
  /** What waits on disk, where that is known. */
  queued?(): number | undefined
  queues?(slowest: number): QueueFacts
}

/** What a crawl does now, and has done since it was started. */
export interface StatusFacts {
  /** What is being done: `inject`, `generate`, `fetch`, `updatedb`, `crawl` where all run at once, `ended`. */
  readonly phase: string
  readonly elapsedMs: number
  /** Outcomes: pages, redirects, failures. */
  readonly outcomes: number
  /** Of those fetched with success or found unmodified. */
  readonly fetched: number
  readonly bytes: number
  /** Outcomes per second, over the last ten seconds and over all. */
  readonly perSecondNow: number
  readonly perSecond: number
  readonly inFlight: number
  readonly byStatus: Readonly<Record<string, number>>
  /** Failed fetches by class of the cause. */
  readonly errors: Readonly<Record<string, number>>
  readonly queues?: QueueFacts
  /** What waits on disk: in a round the items of its list, in a continuous crawl the records of the CrawlDb that are unfetched. */
  readonly queued?: number
  readonly maxPages?: number
  readonly maxTimeMs?: number
}

export interface StatusLimits {
  readonly maxPages?: number | undefined
  readonly maxTimeMs?: number | undefined
}

/** The live figures of a crawl: whoever runs it tells this object, whoever wants to know asks it. Costs a few additions a page. */
export class CrawlStatus {
  readonly #nowMs: () => number
  readonly #startMs: number
  readonly #rate: RateWindow
  readonly #byStatus = new Map<string, number>()
  readonly #errors = new Map<string, number>()
  readonly #listeners = new Set<() => void>()
  #outcomes = 0
  #bytes = 0
  #probe: FetchProbe | undefined
  #limits: StatusLimits = {}
  #phase = 'start'
  #urlsByStatus: (() => Readonly<Record<string, number>>) | undefined

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#startMs = nowMs()
    this.#rate = new RateWindow(nowMs)
  }

  /** Says what is being done from now on: `inject`, `generate`, `fetch`, `updatedb`, … */
  enter(phase: string): void {
    this.#phase = phase
  }

  set limits(limits: StatusLimits) {
    this.#limits = limits
  }

  /** A fetch has begun; undefined when it has ended. */
  watchFetch(probe: FetchProbe | undefined): void {
    this.#probe = probe
  }

  /** A CrawlDb is open, and says how many records it has of each status. */
  watchDb(urlsByStatus: () => Readonly<Record<string, number>>): void {
    this.#urlsByStatus = urlsByStatus
  }

  /** Records of the CrawlDb by status name; empty before one is open. */
  get urlsByStatus(): Readonly<Record<string, number>> {
    return this.#urlsByStatus?.() ?? {}
  }

  /** A page was committed. */
  pageDone({ outcome, exchanges }: FetchedPage): void {
    this.#outcomes++
    this.#rate.add()
    this.#byStatus.set(outcome.status, (this.#byStatus.get(outcome.status) ?? 0) + 1)
    if (outcome.causeClass !== undefined) this.#errors.set(outcome.causeClass, (this.#errors.get(outcome.causeClass) ?? 0) + 1)
    for (const { responseHead, body } of exchanges) this.#bytes += responseHead.length + body.length
  }

  /** Calls `listener` whenever another process has changed the db through this one, e.g. by an inject. @returns what ends that */
  onWritten(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Tells the listeners. */
  written(): void {
    for (const listener of this.#listeners) listener()
  }

  facts(slowest = 0): StatusFacts {
    const elapsedMs = this.#nowMs() - this.#startMs
    const { maxPages, maxTimeMs } = this.#limits
    const queues = this.#probe?.queues?.(slowest)
    const queued = this.#probe?.queued?.()
    return {
      phase: this.#phase,
      elapsedMs: Math.round(elapsedMs),
      outcomes: this.#outcomes,
      fetched: (this.#byStatus.get('fetch_success') ?? 0) + (this.#byStatus.get('fetch_notmodified') ?? 0),
      bytes: this.#bytes,
      perSecondNow: round(this.#rate.perSecond()),
      perSecond: round((this.#outcomes * 1000) / Math.max(1, elapsedMs)),
      inFlight: this.#probe?.inFlight() ?? 0,
      byStatus: sorted(this.#byStatus),
      errors: sorted(this.#errors),
      ...(queues === undefined ? {} : { queues }),
      ...(queued === undefined ? {} : { queued }),
      ...(maxPages === undefined ? {} : { maxPages }),
      ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
    }
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}
