import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import type { StatusFacts } from '../lib/metrics/crawl-status.js'
import { isJsonObject } from '../lib/record/line-format.js'
import { listSegments } from '../lib/segment/segment.js'
import { writeAtomic } from '../lib/segment/write-atomic.js'
import type { JobContext } from './job.js'

export interface CrawlStatusReport {
  readonly isRunning: boolean
  /** Process that holds the db. */
  readonly pid?: number
  /** Of the crawl that runs, or of the last one. */
  readonly crawl?: StatusFacts
  readonly urls: number
  readonly byStatus: Readonly<Record<string, number>>
  readonly segments: number
  /** Segments that were fetched and are not merged yet. */
  readonly unmerged: number
  readonly pendingJob?: string
}

/** How far a crawl has come: `live` are the figures of the one that runs, without it those that the last one left count. */
export async function statusOf(crawlDb: CrawlDb, { folder, heldDb }: JobContext, live: StatusFacts | undefined): Promise<CrawlStatusReport> {
  const segments = await listSegments(folder.segments)
  let unmerged = 0
  for (const { name } of segments) if ((await crawlDb.ledger.appliedAtMs(name)) === undefined) unmerged++
  const pending = await crawlDb.ledger.pending()
  const isRunning = heldDb !== undefined
  const crawl = isRunning ? live : await readLastStatus(folder.root)
  return {
    isRunning,
    ...(isRunning ? { pid: process.pid } : {}),
    ...(crawl === undefined ? {} : { crawl }),
    urls: crawlDb.count,
    byStatus: crawlDb.state.byStatus,
    segments: segments.length,
    unmerged,
    ...(pending === undefined ? {} : { pendingJob: pending.kind }),
  }
}

/** Leaves the figures of a crawl that has ended, for `millrace status`: `DIR/status.json`. */
export async function writeLastStatus(folder: string, facts: StatusFacts): Promise<void> {
  await writeAtomic(join(folder, 'status.json'), `${JSON.stringify(facts)}\n`)
}

async function readLastStatus(folder: string): Promise<StatusFacts | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, 'status.json'), 'utf8'))
    return isJsonObject(value) && isJsonObject(value.errors) ? (value as unknown as StatusFacts) : undefined // writeLastStatus wrote it
  } catch {
    return undefined // no crawl has ended yet
  }
}
