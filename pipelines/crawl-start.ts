import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { isCrawlError } from '../lib/errors/crawl-error.js'
import { listSegments } from '../lib/segment/segment.js'
import { type CrawlJob, seedRulesOf } from './crawl-job.js'
import { injectInto } from './inject.js'
import type { JobContext } from './job.js'
import { finishPendingJob } from './pending-job.js'
import { seal } from './seal.js'
import { removeSpooled } from './seed-files.js'

/** Finishes the job that a killed crawl left in the db: one that injected seeds, or what sitemaps name. */
export async function finishPending(crawlDb: CrawlDb, job: CrawlJob): Promise<void> {
  const context = stoppable(job)
  const rules = seedRulesOf(job)
  try {
    await finishPendingJob(crawlDb, context, rules)
  } catch (error) {
    const mayBeOfSitemaps = context.config.sitemap.overwritesExisting && isCrawlError(error, 'JOB_INPUT_CHANGED')
    if (!mayBeOfSitemaps) throw error
    await finishPendingJob(crawlDb, context, { ...rules, isUpdating: true, takesAll: true })
  }
}

/** Injects the crawl's seeds. Rejects with the reason when the crawl is stopped: the same command goes on with them. */
export async function injectSeeds(crawlDb: CrawlDb, job: CrawlJob): Promise<void> {
  const files = job.seedFiles
  job.status?.enter('inject')
  if (files.length === 0) return
  await crawlDb.jobs.run(() => injectInto(crawlDb, { ...seedRulesOf(job), context: stoppable(job), files }))
  await removeSpooled(files, job.context.folder.spool)
}

function stoppable({ context, stop }: CrawlJob): JobContext {
  return { ...context, signal: stop }
}

/** Seals segments that were merged when the crawl was killed. */
export async function sealApplied(crawlDb: CrawlDb, context: JobContext): Promise<void> {
  for (const segment of await listSegments(context.folder.segments)) {
    const isMerged = (await segment.state()) === 'parsed' && (await crawlDb.ledger.appliedAtMs(segment.name)) !== undefined
    if (isMerged) await seal(context, segment)
  }
}
