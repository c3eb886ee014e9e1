import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { crawlContinuously } from './continuous-crawl.js'
import type { CrawlJob, CrawlReport } from './crawl-job.js'
import { CrawlProgress } from './crawl-progress.js'
import { invertIfFree, segmentsToInvert } from './invertlinks.js'
import { withJobDb } from './job.js'
import { refuseNewDbBesideSegments } from './refuse-new-db.js'
import { crawlInRounds } from './rounds-crawl.js'

/**
 * Crawls from seeds until a limit is reached: with `rounds` Nutch's loop, else continuously. The same job goes on where it was stopped or killed. When it
 * ends, the LinkDb is brought up to date.
 * @throws {CrawlError} DB_MISSING where the CrawlDb is gone and its segments are there
 */
export async function crawl(job: CrawlJob): Promise<CrawlReport> {
  const startedMs = performance.now()
  await refuseNewDbBesideSegments(job.context.folder)
  const report = await withJobDb(
    job.context,
    crawlDb => runUntilStopped(crawlDb, { ...job, context: { ...job.context, signal: undefined } }),
    true,
    true,
  )
  const context = { ...job.context, signal: undefined }
  if (context.config.crawl.invertsLinks) await invertIfFree(context, linkDb => segmentsToInvert(linkDb, context))
  return { ...report, elapsedMs: Math.round(performance.now() - startedMs) }
}

/** Only `stop` ends a crawl: what it has fetched is merged then. One that is stopped before it fetches has totals too. */
async function runUntilStopped(crawlDb: CrawlDb, job: CrawlJob): Promise<CrawlReport> {
  const run = job.limits.rounds === undefined ? crawlContinuously : crawlInRounds
  job.status?.watchDb(() => crawlDb.state.byStatus)
  try {
    return await run(crawlDb, job)
  } catch (error) {
    if (!saysStopped(error, job.stop)) throw error
    const progress = await CrawlProgress.open(crawlDb, job.context, job.command)
    return { fetched: progress.fetched, urls: crawlDb.count, rounds: await progress.rounds(), elapsedMs: 0, stoppedBy: 'signal' }
  }
}

function saysStopped(error: unknown, stop: AbortSignal): boolean {
  return stop.aborted && (error === stop.reason || (error instanceof Error && error.name === 'AbortError'))
}
