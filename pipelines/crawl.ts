import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { recordCount } from '../lib/crawldb/db-state.js'
import type { FetchRun } from '../lib/fetch/fetch-all.js'
import type { PageFetcher } from '../lib/fetch/page-fetcher.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import { parts } from '../lib/segment/part-names.js'
import { listSegments, type Segment, type SegmentState } from '../lib/segment/segment.js'
import { type CrawlState, readCrawlState, writeCrawlState } from './crawl-state.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import { endsRound, fetchSegment } from './fetch.js'
import { generate } from './generate.js'
import { injectInto } from './inject.js'
import { type JobContext, withJobDb } from './job.js'
import type { PagePool } from './page-pool.js'
import { parseSegment } from './parse.js'
import { finishPendingJob } from './pending-job.js'
import { seal } from './seal.js'
import { segmentsToApply, updatedb } from './updatedb.js'

/** When a crawl ends; the first that is reached counts. At least one is given. */
export interface CrawlLimits {
  readonly rounds?: number | undefined
  /** Pages fetched with success or found unmodified. */
  readonly maxPages?: number | undefined
  readonly maxTimeMs?: number | undefined
  /** Ends when nothing is due; without it the other limits also end there. */
  readonly isUntilIdle?: boolean
}

export interface CrawlJob {
  readonly context: JobContext
  readonly seedFiles: readonly string[]
  readonly rules: CrawlUrlRules
  readonly limits: CrawlLimits
  /** URLs of one round at most. */
  readonly topN?: number | undefined
  readonly fetcher: PageFetcher
  readonly pool: PagePool
  /** Hash of the command: the same one goes on. */
  readonly command: string
  /** Aborted to stop: nothing new is taken, what is in flight is finished within the grace time, and merged. */
  readonly stop: AbortSignal
  readonly onPage?: (page: FetchedPage) => void
  readonly onFetchStart?: (run: FetchRun) => void
}

export interface CrawlReport {
  /** Pages fetched with success or found unmodified, since the crawl began. */
  readonly fetched: number
  /** Records in the CrawlDb. */
  readonly urls: number
  readonly rounds: number
  readonly elapsedMs: number
  readonly stoppedBy: 'rounds' | 'pages' | 'time' | 'idle' | 'signal'
}

/** Nutch's loop: inject, then rounds of generate, fetch, parse, updatedb until a limit is reached. The same job goes on where it was stopped. */
export async function crawl(job: CrawlJob): Promise<CrawlReport> {
  return withJobDb(job.context, crawlDb => new RoundsCrawl(crawlDb, job).run(), true)
}

const needsFetch: readonly SegmentState[] = ['generated', 'fetching']
const needsParse: readonly SegmentState[] = ['fetched', 'parsing']

class RoundsCrawl {
  readonly #startedMs = performance.now()
  readonly #stop = new AbortController()
  readonly #abort = new AbortController()
  readonly #seedRules
  #state!: CrawlState
  #hasStopped = false
  #isOutOfTime = false

  constructor(
    readonly crawlDb: CrawlDb,
    readonly job: CrawlJob,
  ) {
    const { rules } = job
    this.#seedRules = {
      rules: { normalize: (raw: string) => rules.normalize(raw, 'inject'), accepts: (url: string) => rules.accepts(url) },
      rulesHash: rules.fingerprint,
    }
  }

  async run(): Promise<CrawlReport> {
    const { context, seedFiles, command, limits } = this.job
    const timers = this.#armStops()
    try {
      await finishPendingJob(this.crawlDb, context, this.#seedRules)
      await this.#resumeOrBegin(command)
      if (seedFiles.length > 0) await injectInto(this.crawlDb, { ...this.#seedRules, context, files: seedFiles })
      await this.#workOff()
      let stoppedBy = this.#reached(limits, await this.#rounds())
      while (stoppedBy === undefined) stoppedBy = await this.#round(limits)
      await this.#save({ isFinished: stoppedBy !== 'signal' })
      return this.#report(stoppedBy)
    } finally {
      for (const timer of timers) clearTimeout(timer)
    }
  }

  /** A signal or the time limit ends the round that is under way; when the grace time is over what is in flight is aborted. */
  #armStops(): NodeJS.Timeout[] {
    const { stop, limits, context } = this.job
    const timers: NodeJS.Timeout[] = []
    const end = (): void => {
      this.#stop.abort(endsRound)
      timers.push(setTimeout(() => this.#abort.abort(new Error('the grace time is over')), context.config.crawl.graceMs))
    }
    const onStop = (): void => {
      this.#hasStopped = true
      end()
    }
    if (stop.aborted) onStop()
    else stop.addEventListener('abort', onStop, { once: true })
    if (limits.maxTimeMs !== undefined) {
      const onTime = (): void => {
        this.#isOutOfTime = true
        end()
      }
      timers.push(setTimeout(onTime, limits.maxTimeMs))
    }
    return timers
  }

  async #resumeOrBegin(command: string): Promise<void> {
    const { root } = this.job.context.folder
    const found = await readCrawlState(root, command)
    const appliedBefore = (await this.crawlDb.ledger.applied()).length
    this.#state = found ?? { command, appliedBefore, cutRounds: 0, fetched: 0, isFinished: false }
    await writeCrawlState(root, this.#state)
  }

  async #save(changes: Partial<CrawlState>): Promise<void> {
    this.#state = { ...this.#state, ...changes }
    await writeCrawlState(this.job.context.folder.root, this.#state)
  }

  /** Rounds done since the crawl began. */
  async #rounds(): Promise<number> {
    return (await this.crawlDb.ledger.applied()).length - this.#state.appliedBefore - this.#state.cutRounds
  }

  #reached({ rounds, maxPages }: CrawlLimits, done: number): CrawlReport['stoppedBy'] | undefined {
    if (this.#hasStopped) return 'signal'
    if (this.#isOutOfTime) return 'time'
    if (rounds !== undefined && done >= rounds) return 'rounds'
    return maxPages !== undefined && this.#state.fetched >= maxPages ? 'pages' : undefined
  }

  async #round(limits: CrawlLimits): Promise<CrawlReport['stoppedBy'] | undefined> {
    const { context, rules } = this.job
    const left = limits.maxPages === undefined ? undefined : limits.maxPages - this.#state.fetched
    const topN = left === undefined ? this.job.topN : Math.min(left, this.job.topN ?? left)
    const made = await generate(this.crawlDb, { context, topN, accepts: url => rules.accepts(url) })
    if (made === undefined) return 'idle'
    context.log.info({ segment: made.segment, items: made.items }, 'round begins')
    await this.#workOff()
    return this.#reached(limits, await this.#rounds())
  }

  /** Brings every segment to its end: fetched, parsed, merged, sealed. */
  async #workOff(): Promise<void> {
    const { context } = this.job
    for (const segment of await listSegments(context.folder.segments)) {
      if (needsFetch.includes(await segment.state())) await this.#fetch(segment)
      if (needsParse.includes(await segment.state())) await parseSegment({ context, segment, pool: this.job.pool })
    }
    const segments = await segmentsToApply(this.crawlDb, context)
    if (segments.length === 0) return
    await updatedb(this.crawlDb, { context, segments })
    let { fetched, cutRounds } = this.#state
    for (const segment of segments) fetched += await countFetched(segment)
    if (this.#stop.signal.aborted) cutRounds += segments.length
    await this.#save({ fetched, cutRounds })
    for (const segment of segments) await seal(context, segment)
  }

  async #fetch(segment: Segment): Promise<void> {
    const { context, fetcher, pool, onPage, onFetchStart } = this.job
    await fetchSegment({
      context: { ...context, signal: this.#abort.signal },
      segment,
      fetcher,
      pool,
      isParsing: true,
      stopTaking: this.#stop.signal,
      onPage,
      onStart: onFetchStart,
    })
  }

  async #report(stoppedBy: CrawlReport['stoppedBy']): Promise<CrawlReport> {
    return {
      fetched: this.#state.fetched,
      urls: recordCount(this.crawlDb.state),
      rounds: await this.#rounds(),
      elapsedMs: Math.round(performance.now() - this.#startedMs),
      stoppedBy,
    }
  }
}

/** Outcomes of a segment that are pages: fetched with success, or not modified. */
async function countFetched(segment: Segment): Promise<number> {
  let count = 0
  for await (const { text } of segment.readLines(parts.outcomes)) count += text.split(/\t\{"status":"fetch_(?:success|notmodified)"/).length - 1
  return count
}
