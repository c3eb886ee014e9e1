import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { withLinkDb } from '../lib/linkdb/open.js'
import { crawlContinuously } from './continuous-crawl.js'
import type { CrawlJob, CrawlReport } from './crawl-job.js'
import { invertInto, segmentsToInvert } from './invertlinks.js'
import { type JobContext, withJobDb } from './job.js'
import { crawlInRounds } from './rounds-crawl.js'

/**
 * Crawls from seeds until a limit is reached: with `rounds` Nutch's loop, else continuously. The same job goes on where it was stopped or killed. When it
 * ends, the LinkDb is brought up to date.
 */
export async function crawl(job: CrawlJob): Promise<CrawlReport> {
  const startedMs = performance.now()
  const run = job.limits.rounds === undefined ? crawlContinuously : crawlInRounds
  const runWatched = (crawlDb: CrawlDb): Promise<CrawlReport> => {
    job.status?.watchDb(() => crawlDb.state.byStatus)
    return run(crawlDb, job)
  }
  const report = await withJobDb(job.context, runWatched, true, true)
  if (job.context.config.crawl.invertsLinks) await invertAll({ ...job.context, signal: undefined })
  return { ...report, elapsedMs: Math.round(performance.now() - startedMs) }
}

/** Brings the links of all merged segments into the LinkDb, each once. */
async function invertAll(context: JobContext): Promise<void> {
  const { folder, config } = context
  await withLinkDb({ folder: folder.root, config: config.db, isCreating: true }, async linkDb => {
    const segments = await segmentsToInvert(linkDb, context)
    if (segments.length > 0) await invertInto(linkDb, { context, segments })
  })
}
