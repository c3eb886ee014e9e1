import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { listSegments, type Segment, type SegmentState } from '../lib/segment/segment.js'
import type { CrawlJob, CrawlReport } from './crawl-job.js'
import { CrawlProgress } from './crawl-progress.js'
import { reportHeldQueues } from './crawl-report.js'
import { finishPending, injectSeeds, sealApplied } from './crawl-start.js'
import { CrawlStops } from './crawl-stops.js'
import { fetchSegment } from './fetch.js'
import { generate } from './generate.js'
import { parseSegment } from './parse.js'
import { seal } from './seal.js'
import { readWaitingSitemaps } from './sitemap-readers.js'
import { sweepIfNeeded } from './sweep.js'
import { segmentsToApply, updatedb } from './updatedb.js'

const needsFetch: readonly SegmentState[] = ['generated', 'fetching']
const needsParse: readonly SegmentState[] = ['fetched', 'parsing']

/** Nutch's loop: inject, then rounds of generate, fetch, parse, updatedb until a limit is reached. The same job goes on where it was stopped. */
export async function crawlInRounds(crawlDb: CrawlDb, job: CrawlJob): Promise<CrawlReport> {
  const { stop, limits, context } = job
  const stops = new CrawlStops({ stop, maxTimeMs: limits.maxTimeMs, graceMs: context.config.crawl.graceMs })
  const startedMs = performance.now()
  try {
    await crawlDb.jobs.run(() => finishPending(crawlDb, job))
    await sealApplied(crawlDb, context)
    const progress = await CrawlProgress.open(crawlDb, context, job.command)
    await injectSeeds(crawlDb, job)
    const rounds = new Rounds(crawlDb, job, stops, progress)
    const stoppedBy = await rounds.run()
    if (stoppedBy !== 'signal') await progress.finish(job.onEnd)
    const elapsedMs = Math.round(performance.now() - startedMs)
    return { fetched: progress.fetched, urls: crawlDb.count, rounds: await progress.rounds(), elapsedMs, stoppedBy }
  } finally {
    stops.dispose()
  }
}

class Rounds {
  /** Hosts that the last round waited for in vain: nothing else was due. */
  #heldQueues = 0

  constructor(
    readonly crawlDb: CrawlDb,
    readonly job: CrawlJob,
    readonly stops: CrawlStops,
    readonly progress: CrawlProgress,
  ) {}

  async run(): Promise<CrawlReport['stoppedBy']> {
    await this.#workOff()
    for (;;) {
      const reached = await this.#reached()
      if (reached !== undefined) return reached
      if (!(await this.#generate())) return 'idle'
      await this.#workOff()
      if (this.#heldQueues > 0) {
        reportHeldQueues(this.job.context, this.#heldQueues)
        return 'idle'
      }
    }
  }

  async #reached(): Promise<CrawlReport['stoppedBy'] | undefined> {
    const { rounds, maxPages } = this.job.limits
    if (this.stops.reason !== undefined) return this.stops.reason
    if (rounds !== undefined && (await this.progress.rounds()) >= rounds) return 'rounds'
    return maxPages !== undefined && this.progress.fetched >= maxPages ? 'pages' : undefined
  }

  async #generate(): Promise<boolean> {
    const { context, rules, limits, topN } = this.job
    const left = limits.maxPages === undefined ? undefined : limits.maxPages - this.progress.fetched
    this.job.status?.enter('generate')
    const most = left === undefined ? topN : Math.min(left, topN ?? left)
    const wanted = { context, topN: most, accepts: (url: string) => rules.accepts(url), countedForm: rules.formIn('generate_host_count') }
    const made = await this.crawlDb.jobs.run(() => generate(this.crawlDb, wanted))
    if (made !== undefined) context.log.info({ segment: made.segment, items: made.items }, 'round begins')
    return made !== undefined
  }

  /** Brings every segment to its end: fetched, parsed, merged, sealed. */
  async #workOff(): Promise<void> {
    const { context, pool } = this.job
    for (const segment of await listSegments(context.folder.segments)) {
      if (needsFetch.includes(await segment.state())) await this.#fetch(segment)
      if (needsParse.includes(await segment.state())) await parseSegment({ context, segment, pool })
    }
    const segments = await segmentsToApply(this.crawlDb, context)
    if (segments.length === 0) return
    this.job.status?.enter('updatedb')
    await this.crawlDb.jobs.run(() => updatedb(this.crawlDb, { context, segments }))
    await sweepIfNeeded(this.crawlDb, context)
    if (this.stops.stopTaking.aborted) await this.progress.noteCut(segments)
    for (const segment of segments) await this.progress.count(segment)
    for (const segment of segments) await seal(context, segment)
    await readWaitingSitemaps(this.crawlDb, this.job, this.stops)
  }

  async #fetch(segment: Segment): Promise<void> {
    const { context, fetcher, pool, onPage, onFetchStart } = this.job
    this.job.status?.enter('fetch')
    const { pages, heldQueues } = await fetchSegment({
      context: { ...context, signal: this.stops.abort },
      segment,
      fetcher,
      pool,
      isParsing: true,
      listing: this.job.listing,
      stopTaking: this.stops.stopTaking,
      onPage,
      onStart: onFetchStart,
    })
    this.#heldQueues = pages === 0 ? heldQueues : 0
  }
}
