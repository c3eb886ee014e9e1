import { configWith } from '../../lib/config/resolve-config.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { ManualClock } from '../../lib/log/clock.js'
import { silentLogger } from '../../lib/log/logger.js'
import type { DbDatum } from '../../lib/record/records.js'
import { keyOfUrl } from '../../lib/record/url-key.js'
import { createJobContext, type JobContext, withJobDb } from '../../pipelines/job.js'

/** The time that job specs begin at: Saturday 31 January 2026, 00:00 UTC. */
export const specTimeMs = Date.UTC(2026, 0, 31)

/** A job on `folder` with a clock that stands at `specTimeMs`, and Nutch's properties as given. */
export function specJob(folder: string, properties: Readonly<Record<string, unknown>> = {}): JobContext & { readonly clock: ManualClock } {
  const clock = new ManualClock(specTimeMs)
  const config = configWith(properties)
  return { ...createJobContext({ folder, config, clock, log: silentLogger, command: 'spec' }), clock }
}

/** Puts records into the job's CrawlDb as they stand, and makes the db if there is none. */
export function putRecords(context: JobContext, records: readonly DbDatum[]): Promise<void> {
  return withJobDb(context, crawlDb => putInto(crawlDb, records), true)
}

/** The same for a CrawlDb that is open. */
export function putInto(crawlDb: CrawlDb, records: readonly DbDatum[]): Promise<void> {
  return crawlDb.commits.run(async () => {
    const keys = records.map(({ url }) => keyOfUrl(url))
    const olds = await crawlDb.readMany(keys)
    await crawlDb.commit(records.map((next, index) => ({ key: keys[index] as string, old: olds[index], next })))
  })
}

/** All records, by URL. */
export function allRecords(context: JobContext): Promise<Map<string, DbDatum>> {
  return withJobDb(context, async crawlDb => {
    const found = new Map<string, DbDatum>()
    for await (const datum of crawlDb.records()) found.set(datum.url, datum)
    return found
  })
}
