import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { isPurged } from '../lib/crawldb/rules/purge-rule.js'
import { type ChangeReport, changeRecords } from './change-records.js'
import type { JobContext } from './job.js'

/** Whether options ask for what only a scan of the db can do, and there may be something to do. */
export function needsSweep(crawlDb: CrawlDb, { config, scoring }: JobContext): boolean {
  const { db_gone: gone = 0, db_orphan: orphans = 0 } = crawlDb.state.byStatus
  return scoring.marksOrphans || (config.db.purgesGone && gone > 0) || (config.db.purgesOrphans && orphans > 0)
}

/** The sweep that a crawl does where options ask for one, between the jobs of other processes. */
export async function sweepIfNeeded(crawlDb: CrawlDb, context: JobContext): Promise<void> {
  if (!needsSweep(crawlDb, context)) return
  const { changed, removed } = await crawlDb.jobs.run(() => sweep(crawlDb, context))
  context.log.info({ changed, removed }, 'records purged or marked')
}

/** Marks orphans (`scoring.filter.order` with orphan), and deletes what `db.update.purge.404` and `db.update.purge.orphans` say: a scan of the db. */
export function sweep(crawlDb: CrawlDb, context: JobContext): Promise<ChangeReport> {
  const { config, scoring } = context
  return changeRecords(crawlDb, {
    context,
    kind: 'sweep',
    records: { choice: { range: {}, matches: () => true, tests: false, isAll: true } },
    change: (datum, nowMs) => {
      if (isPurged(datum, config.db)) return undefined
      const marked = scoring.orphaned(datum, nowMs)
      return isPurged(marked, config.db) ? undefined : marked
    },
    said: [config.db.purgesGone, config.db.purgesOrphans, config.score],
  })
}
