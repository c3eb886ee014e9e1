import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { type Lock, lockDatum, unlockDatum } from '../lib/crawldb/lock.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import { keyOfUrl } from '../lib/record/url-key.js'
import type { CrawlJob, CrawlReport } from './crawl-job.js'
import type { CrawlProgress } from './crawl-progress.js'
import type { CrawlStops } from './crawl-stops.js'
import { DueSource } from './due-source.js'
import { pageTask, wasCutOff } from './fetch.js'
import { nextWaitTimeMs } from './next-due.js'
import { OpenSegment } from './open-segment.js'
import { SegmentMerger } from './segment-merger.js'
import { Wakeup } from './wakeup.js'

/** When a segment is closed because queues ran dry, although it is not full. */
const dryRoll = { pages: 64, leastAgeMs: 2000, latestMs: 15_000, lookAgainMs: 1000 }

/** The first segment is small, so that its links are known soon; each that is full doubles the size of the next, up to `millrace.roll.pages`. */
const firstRollPages = 500

/** What runs beside the fetch queues of a continuous crawl: the source they are fed from, the segment that pages go to, and the merging. */
export class ContinuousRun {
  readonly source: DueSource
  readonly #merger: SegmentMerger
  /** Items taken that have no outcome yet, by URL: they move to the next segment when this one is closed. */
  readonly #outstanding = new Map<string, FetchItem>()
  readonly #wakeup = new Wakeup()
  #segment: OpenSegment
  #fetchedNow = 0
  #fullSegments = 0
  #waitsForBudget = false
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
    this.#merger = new SegmentMerger({ crawlDb, job, onMerged: () => this.#onMerged(), onFailed: error => this.#fail(error) })
    this.source = new DueSource({
      crawlDb,
      mode: job.context.config.fetch.queueMode === 'byDomain' ? 'byDomain' : 'byHost',
      isWanted: datum => this.#isWanted(datum),
      budget: () => this.#budget(),
      claim: (data, queueId) => this.#claim(data, queueId),
      waitForWork: () => this.#waitForWork(),
      onGivenBack: items => void this.#giveBack(items).catch(error => this.#fail(error)),
    })
    stops.stopTaking.addEventListener('abort', () => this.#wakeup.wake(), { once: true })
    job.status?.onWritten(() => this.#onMerged()) // seeds that another process has injected may be due
  }

  /** Opens the first segment; what a killed run left is brought to its end beside the fetching. */
  static async open(crawlDb: CrawlDb, job: CrawlJob, stops: CrawlStops, progress: CrawlProgress): Promise<ContinuousRun> {
    const leftovers = await SegmentMerger.leftovers(crawlDb, job.context)
    await promoteDue(crawlDb, job.context.clock.nowMs())
    const run = new ContinuousRun(crawlDb, job, stops, progress, await OpenSegment.create(job.context))
    for (const segment of leftovers) {
      await progress.count(segment)
      run.#merger.add(segment)
    }
    return run
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
    this.#outstanding.delete(page.outcome.url)
    if (page.outcome.status === 'fetch_success' || page.outcome.status === 'fetch_notmodified') this.#fetchedNow++
    await segment.store(page, result)
    this.job.context.counters.merge(result.counts)
    this.job.onPage?.(page)
    this.#rollIfFull()
    if (this.#isWaitingForPages()) this.#wakeup.wake()
  }

  /** Closes the last segment and merges what is not merged. Rejects with what failed on the way. */
  async end(): Promise<void> {
    await this.#rolling
    await this.#segment.finish()
    this.#merger.add(this.#segment.segment)
    await this.#merger.finish()
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

  /** Whether a page that has come may end a wait: the last one under way, or one that a limit waited for. */
  #isWaitingForPages(): boolean {
    return this.#outstanding.size === 0 || this.#waitsForBudget
  }

  #isWanted(datum: DbDatum): boolean {
    const { context, rules } = this.job
    return context.schedule.shouldFetch(datum, context.clock.nowMs()) && rules.accepts(datum.url)
  }

  #budget(): number {
    const { maxPages } = this.job.limits
    if (this.stops.stopTaking.aborted || this.#failure !== undefined) return 0
    return maxPages === undefined ? Number.POSITIVE_INFINITY : Math.max(0, maxPages - this.fetched - this.#outstanding.size)
  }

  #lock(segment: OpenSegment): Lock {
    const { clock, config } = this.job.context
    const timeMs = clock.nowMs()
    return { segment: segment.name, timeMs, untilMs: timeMs + config.generate.genDelayMs }
  }

  /** Inside a turn of the commit queue. The list is written before the locks, so that no lock is without its list. */
  async #claim(data: readonly DbDatum[], queueId: string): Promise<readonly FetchItem[]> {
    const { schedule, clock } = this.job.context
    const segment = this.#segment
    const lock = this.#lock(segment)
    const items = data.map((datum): FetchItem => {
      return { url: datum.url, datum: lockDatum(schedule.asDue(datum, clock.nowMs()), lock), queueId, segment: segment.name }
    })
    await segment.noteTaken(items)
    await this.crawlDb.commit(data.map(old => ({ key: keyOfUrl(old.url), old, next: lockDatum(old, lock) })))
    for (const item of items) this.#outstanding.set(item.url, item)
    return items
  }

  async #giveBack(items: readonly FetchItem[]): Promise<void> {
    await this.crawlDb.commits.run(async () => {
      const keys = items.map(item => keyOfUrl(item.url))
      const olds = await this.crawlDb.readMany(keys)
      await this.crawlDb.commit(
        olds.flatMap((old, index) => (old === undefined ? [] : [{ key: keys[index] as string, old, next: unlockDatum(old) }])),
      )
    })
    for (const item of items) this.#outstanding.delete(item.url)
    this.#wakeup.wake()
  }

  #rollIfFull(): void {
    const { rollPages, rollAgeMs } = this.job.context.config.crawl
    const { pages, openedMs } = this.#segment
    if (pages < Math.min(rollPages, firstRollPages * 2 ** this.#fullSegments) && performance.now() - openedMs < rollAgeMs) return
    if (this.#rolling === undefined) this.#fullSegments++
    this.#roll()
  }

  #roll(): void {
    this.#rolling ??= this.#rollNow()
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#rolling = undefined
        this.#wakeup.wake()
      })
  }

  /** Opens the next segment, moves what is outstanding to it with its locks, and hands the old one to the merger. */
  async #rollNow(): Promise<void> {
    const old = this.#segment
    const next = await OpenSegment.create(this.job.context)
    await this.crawlDb.commits.run(async () => {
      const moved = [...this.#outstanding.values()].map((item): FetchItem => ({ ...item, segment: next.name }))
      await next.noteTaken(moved)
      const keys = moved.map(item => keyOfUrl(item.url))
      const lock = this.#lock(next)
      const olds = await this.crawlDb.readMany(keys)
      await this.crawlDb.commit(
        olds.flatMap((datum, index) => (datum === undefined ? [] : [{ key: keys[index] as string, old: datum, next: lockDatum(datum, lock) }])),
      )
      this.#segment = next
    })
    await old.finish()
    this.#merger.add(old.segment)
  }

  /** Called when no queue can be given: closes the segment if that is what new work waits for, and says when to look again. */
  async #waitForWork(): Promise<'look' | 'over'> {
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
    const isBusy = this.#merger.isBusy || this.#rolling !== undefined || this.#outstanding.size > 0
    if (!isBusy && limits.isForever !== true) {
      this.#endedBy = 'idle'
      return 'over'
    }
    await this.#wakeup.wait(isBusy ? dryRoll.lookAgainMs : await this.#sleepMs())
    return 'look'
  }

  /** Queues that ran dry wait for links that are not merged yet. While others are still at work, a segment is not closed for a few pages,
   *  nor before the last merge has paid off. */
  #isWorthRolling(): boolean {
    const { pages, openedMs } = this.#segment
    if (pages === 0 || this.#merger.isBusy || this.#rolling !== undefined) return false
    if (this.#outstanding.size === 0) return true
    if (!this.source.hasRunDry) return false
    const ageMs = performance.now() - openedMs
    const leastAgeMs = Math.max(dryRoll.leastAgeMs, this.#merger.lastMergeMs * 4)
    return (pages >= dryRoll.pages && ageMs >= leastAgeMs) || ageMs >= dryRoll.latestMs
  }

  /** Moves what has become due in the meantime, if anything has. */
  async #promote(nowMs: number): Promise<boolean> {
    const dueMs = await nextWaitTimeMs(this.crawlDb)
    return dueMs !== undefined && dueMs <= nowMs && (await promoteDue(this.crawlDb, nowMs)) > 0
  }

  /** Until the next record is due. */
  async #sleepMs(): Promise<number> {
    const dueMs = await nextWaitTimeMs(this.crawlDb)
    return dueMs === undefined ? Number.POSITIVE_INFINITY : Math.max(1, dueMs - this.job.context.clock.nowMs())
  }
}
