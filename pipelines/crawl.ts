import { crawlContinuously } from './continuous-crawl.js'
import type { CrawlJob, CrawlReport } from './crawl-job.js'
import { withJobDb } from './job.js'
import { crawlInRounds } from './rounds-crawl.js'

/** Crawls from seeds until a limit is reached: with `rounds` Nutch's loop, else continuously. The same job goes on where it was stopped or killed. */
export async function crawl(job: CrawlJob): Promise<CrawlReport> {
  const run = job.limits.rounds === undefined ? crawlContinuously : crawlInRounds
  return withJobDb(job.context, crawlDb => run(crawlDb, job), true, true)
}
