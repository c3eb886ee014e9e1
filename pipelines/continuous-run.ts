import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { bringDue } from '../lib/crawldb/due-ahead.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import type { FetchRun } from '../lib/fetch/fetch-all.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import { Claims } from './claims.js'
import type { CrawlJob, CrawlReport } from './crawl-job.js'
import type { CrawlProgress } from './crawl-progress.js'
import { reportHeldQueues } from './crawl-report.js'
import type { CrawlStops } from './crawl-stops.js'
import { DueSource } from './due-source.js'
import { pageTask, wasCutOff } from './fetch.js'
import { isClockBehind, nextWaitTimeMs, sleepMs } from './next-due.js'
import { isFetched, OpenSegment } from './open-segment.js'
import { isFullSegment, isWorthRolling, lookAgainMs } from './roll-rule.js'
import { closeFetch, SegmentMerger } from './segment-merger.js'
import { SitemapReaders } from './sitemap-readers.js'
import { Wakeup } from './wakeup.js'

/** What runs beside the fetch queues of a continuous crawl: the source they are fed from, the segment that pages go to, and the merging. */
export class ContinuousRun {
  readonly source: DueSource
  readonly #merger: SegmentMerger
  readonly #sitemaps: SitemapReaders
  readonly #claims: Claims
  readonly #wakeup = new Wakeup()
  #segment: OpenSegment
  #fetch: FetchRun | undefined
  #fetchedNow = 0
  #fullSegments = 0
  #closed = 0
  #waitsForBudget = false
  #isEnding = false
  #rolling: Promise<void> | undefined
  #failure: unknown
  #endedBy: CrawlReport['stoppedBy'] | undefined

  private constructor(
    readonly crawlDb: CrawlDb,
    readonly job: CrawlJob,
    readonly stops: CrawlStops,
    readonly progress: CrawlProgress,
    segment: OpenSegment,
  ) {
    this.#segment = segment
    this.#claims = new Claims(crawlDb, job.context)
    this.#merger = new SegmentMerger({ crawlDb, job, onMerged: () => this.#onMerged(), onFailed: error => this.#fail(error) })
    this.#sitemaps = new SitemapReaders(job.sitemaps, { crawlDb, stops, onRead: () => this.#onMerged(), onFailed: error => this.#fail(error) })
    this.source = new DueSource({
      crawlDb,
      mode: job.context.config.fetch.queueMode === 'byDomain' ? 'byDomain' : 'byHost',
      isWanted: datum => this.#isWanted(datum),
      budget: () => this.#budget(),
      claim: (data, queueId) => this.#claims.take(data, queueId, this.#segment),
      waitForWork: state => this.#waitForWork(state),
      onGivenBack: items => void this.#giveBack(items).catch(error => this.#fail(error)),
      nowMs: () => job.context.pacingClock.nowMs(),
    })
    stops.stopTaking.addEventListener('abort', () => this.#wakeup.wake(), { once: true })
    job.listing?.use(url => this.#claims.has(url))
    job.status?.onWritten(() => this.#onMerged()) // seeds that another process has injected may be due
  }

  /** Opens the first segment; what a killed run left is brought to its end beside the fetching. */
  static async open(crawlDb: CrawlDb, job: CrawlJob, stops: CrawlStops, progress: CrawlProgress): Promise<ContinuousRun> {
    const leftovers = await SegmentMerger.leftovers(crawlDb, job.context)
    await bringDue(crawlDb, job.context.clock.nowMs(), job.context.schedule)
    const run = new ContinuousRun(crawlDb, job, stops, progress, await OpenSegment.create(job.context))
    for (const segment of leftovers) {
      await closeFetch(job.context, segment) // pages that the kill left half written do not count
      await progress.count(segment)
      run.#merger.add(segment)
    }
    return run
  }

  /** The fetch has begun: sitemaps of the hosts that it meets are read in its turns. */
  begin(fetch: FetchRun): void {
    this.#fetch = fetch
    this.#sitemaps.attach(fetch)
  }

  /** Pages fetched with success or found unmodified, since the crawl began. */
  get fetched(): number {
    return this.progress.fetched + this.#fetchedNow
  }

  get endedBy(): CrawlReport['stoppedBy'] {
    return this.stops.reason ?? this.#endedBy ?? 'idle'
  }

  /** Stores a page and its parse. Its slot is free when this resolves. */
  async takePage(page: FetchedPage): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (wasCutOff(page)) return
    const result = await this.job.pool.run(pageTask(page, true))
    const segment = this.#segment
    this.#claims.answered(page.outcome.url)
    if (isFetched(page)) this.#fetchedNow++
    await segment.store(page, result)
    this.job.context.counters.merge(result.counts)
    this.job.onPage?.(page)
    this.#rollIfFull()
  }

  /** All pages of an item are stored. */
  itemDone(item: FetchItem): void {
    this.#claims.finished(item)
    if (this.#claims.unfinished === 0 || this.#waitsForBudget) this.#wakeup.wake()
  }

  /** Closes the last segment and merges what is not merged. Rejects with what failed on the way. @param cutBy what ended the fetch if an option did */
  async end(cutBy: CrawlReport['stoppedBy'] | undefined): Promise<void> {
    this.#isEnding = true
    if (cutBy !== undefined) this.#endedBy = cutBy
    this.#reportHeld()
    await this.#rolling
    await this.#claims.released()
    await this.#sitemaps.settled()
    try {
      await this.#close(this.#segment)
    } finally {
      await this.#merger.finish()
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    this.#wakeup.wake()
  }

  #onMerged(): void {
    this.source.refresh()
    this.#wakeup.wake()
  }

  #isWanted(datum: DbDatum): boolean {
    const { context, rules } = this.job
    return context.schedule.shouldFetch(datum, context.clock.nowMs()) && rules.accepts(datum.url)
  }

  #budget(): number {
    if (this.stops.stopTaking.aborted || this.#failure !== undefined) return 0
    return Math.max(0, this.#pagesLeft() - this.#claims.unfinished)
  }

  #pagesLeft(): number {
    return (this.job.limits.maxPages ?? Number.POSITIVE_INFINITY) - this.fetched
  }

  async #giveBack(items: readonly FetchItem[]): Promise<void> {
    await this.#claims.release(items)
    this.#wakeup.wake()
  }

  #rollIfFull(): void {
    const { pages, openedMs } = this.#segment
    const facts = { pages, ageMs: performance.now() - openedMs, fullSegments: this.#fullSegments, pagesLeft: this.#pagesLeft() }
    if (!isFullSegment(facts, this.job.context.config.crawl)) return
    if (this.#rolling === undefined) this.#fullSegments++
    this.#roll()
  }

  #roll(): void {
    if (this.#isEnding) return
    this.#rolling ??= this.#rollNow()
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#rolling = undefined
        this.#wakeup.wake()
      })
  }

  /** Opens the next segment, moves what is outstanding to it with its locks, and hands the old one to the merger. */
  async #rollNow(): Promise<void> {
    this.#closed++
    const old = this.#segment
    const next = await OpenSegment.create(this.job.context)
    await this.crawlDb.commits.run(async () => {
      await this.#claims.moveTo(next)
      this.#segment = next
    })
    await this.#close(old)
  }

  async #close(segment: OpenSegment): Promise<void> {
    if (!(await segment.finish())) return
    await this.progress.note(segment.segment, segment.fetched)
    this.#merger.add(segment.segment)
  }

  /** Called when no queue could be given. */
  async #waitForWork(state: number): Promise<'look' | 'over'> {
    const { limits, context } = this.job
    if (this.#failure !== undefined || this.stops.stopTaking.aborted) return 'over'
    if (limits.maxPages !== undefined && this.fetched >= limits.maxPages) {
      this.#endedBy = 'pages'
      return 'over'
    }
    this.#waitsForBudget = this.#budget() === 0
    if (!this.#waitsForBudget) {
      if (await this.#promote(context.clock.nowMs())) return 'look'
      if (this.#isWorthRolling()) this.#roll()
    }
    const isBusy = this.#merger.isBusy || this.#rolling !== undefined || this.#claims.unfinished > 0 || this.#sitemaps.isBusy
    if (this.source.state !== state) return 'look' // what was looked for may have come in the meantime
    if (!isBusy && limits.isForever !== true) {
      this.#endedBy = 'idle'
      return 'over'
    }
    await this.#wakeup.wait(isBusy ? lookAgainMs(this.#closed) : await sleepMs(this.crawlDb, context, this.source.heldUntilMs))
    if (!isBusy && isClockBehind(this.crawlDb, context)) this.source.refresh() // what is due then is not promoted: it was, before the clock was set
    return 'look'
  }

  /** Says which hosts are left although they have pages that are due. */
  #reportHeld(): void {
    const { heldQueues, heldUntilMs } = this.source
    if (heldUntilMs === undefined || this.endedBy !== 'idle') return
    reportHeldQueues(this.job.context, heldQueues, heldUntilMs)
  }

  /** Whether the links of the open segment are what queues that ran dry wait for. */
  #isWorthRolling(): boolean {
    const { pages, openedMs } = this.#segment
    if (pages === 0 || this.#merger.isBusy || this.#rolling !== undefined) return false
    if (this.#claims.unfinished === 0) return true
    if (!this.source.hasRunDry) return false
    const ageMs = performance.now() - openedMs
    return isWorthRolling({ pages, ageMs, closed: this.#closed, lastMergeMs: this.#merger.lastMergeMs, isIdle: this.#isIdle() })
  }

  /** Whether all that is taken waits for the time of its host. */
  #isIdle(): boolean {
    const { active = 1, ready = 0 } = this.#fetch?.queues(0) ?? {}
    return active + ready === 0
  }

  /** Moves what has become due in the meantime, if anything has. */
  async #promote(nowMs: number): Promise<boolean> {
    const dueMs = await nextWaitTimeMs(this.crawlDb)
    if (dueMs === undefined || dueMs > nowMs || (await promoteDue(this.crawlDb, nowMs)) === 0) return false
    this.source.refresh() // also queues that had nothing to give before
    return true
  }
}
