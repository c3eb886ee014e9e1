import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { fetchAll } from '../lib/fetch/fetch-all.js'
import { ContinuousRun } from './continuous-run.js'
import type { CrawlJob, CrawlReport } from './crawl-job.js'
import { CrawlProgress } from './crawl-progress.js'
import { reportAbandoned, reportCutFetch } from './crawl-report.js'
import { finishPending, injectSeeds, sealApplied } from './crawl-start.js'
import { CrawlStops } from './crawl-stops.js'
import { PolitenessKeeper } from './politeness-keeper.js'
import { sweepIfNeeded } from './sweep.js'
import { noteUntold } from './untold-requests.js'

/**
 * Fetch, parse and merge as one connected pipeline: the fetch queues are refilled from what is due, segments roll over by size and age, and closed
 * ones are merged while fetching goes on, so that nothing waits for the slowest host.
 */
export async function crawlContinuously(crawlDb: CrawlDb, job: CrawlJob): Promise<CrawlReport> {
  const { stop, limits, context, fetcher } = job
  const { config, pacingClock } = context
  const startedMs = performance.now()
  const stops = new CrawlStops({ stop, maxTimeMs: limits.maxTimeMs, graceMs: config.crawl.graceMs })
  try {
    await crawlDb.jobs.run(() => finishPending(crawlDb, job))
    await sealApplied(crawlDb, context)
    const progress = await CrawlProgress.open(crawlDb, context, job.command)
    await injectSeeds(crawlDb, job)
    job.status?.enter('crawl')
    const politeness = await PolitenessKeeper.open(context)
    const run = await ContinuousRun.open(crawlDb, job, stops, progress)
    let cutBy: CrawlReport['stoppedBy'] | undefined
    try {
      const fetched = await fetchAll({
        source: run.source,
        fetcher,
        config: config.fetch,
        clock: pacingClock,
        politeness: politeness.state,
        notBeforeMs: politeness.notBeforeMs,
        onCrawlDelay: () => politeness.writeSoon(),
        onAbandoned: queue => reportAbandoned(context, queue),
        timeLimitMs: config.generate.timeLimitMs,
        signal: stops.abort,
        stopTaking: stops.stopTaking,
        onPage: page => run.takePage(page),
        onItemDone: item => run.itemDone(item),
        onStart: fetch => {
          politeness.watch(() => fetch.exportPoliteness())
          run.begin(fetch)
          job.onFetchStart?.(fetch)
        },
      })
      await politeness.end(fetched.politeness)
      await noteUntold(context, fetcher.takeUntold())
      cutBy = reportCutFetch(context, fetched.stoppedBy)
    } finally {
      await politeness.abandon()
      await run.end(cutBy)
    }
    const stoppedBy = run.endedBy
    if (stoppedBy !== 'signal') {
      await sweepIfNeeded(crawlDb, context)
      await progress.finish(job.onEnd)
    }
    const elapsedMs = Math.round(performance.now() - startedMs)
    return { fetched: run.fetched, urls: crawlDb.count, rounds: await progress.rounds(), elapsedMs, stoppedBy }
  } finally {
    stops.dispose()
  }
}
