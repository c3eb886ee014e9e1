import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { rebuildIndexes } from '../lib/crawldb/rebuild-indexes.js'
import { isCrawlError } from '../lib/errors/crawl-error.js'
import { withLinkDb } from '../lib/linkdb/open.js'
import { changeRecords } from './change-records.js'
import { type JobContext, withJobDb } from './job.js'

export interface CompactJob {
  readonly context: JobContext
  /** Makes the indexes and counts of the CrawlDb anew. @defaultValue false */
  readonly rebuildsIndexes?: boolean
  /** Writes every record of the CrawlDb anew, in the codec version of this build. @defaultValue false */
  readonly rewritesRecords?: boolean
}

export interface CompactReport {
  readonly crawldb: SizeChange
  readonly linkdb?: SizeChange
}

export interface SizeChange {
  readonly beforeBytes: number
  readonly afterBytes: number
}

/** Rewrites the files of CrawlDb and LinkDb so that what was deleted or replaced takes no room and no time any more. */
export async function compact(job: CompactJob): Promise<CompactReport> {
  const { context } = job
  const { folder, config } = context
  const crawldb = await measured(join(folder.root, 'crawldb'), () => withJobDb(context, crawlDb => compactCrawlDb(crawlDb, job)))
  try {
    const linkdb = await measured(join(folder.root, 'linkdb'), () =>
      withLinkDb({ folder: folder.root, config: config.db }, linkDb => linkDb.level.compactRange('', lastKey)),
    )
    return { crawldb, linkdb }
  } catch (error) {
    if (isCrawlError(error, 'DB_MISSING')) return { crawldb }
    throw error
  }
}

/** Greater than every key of ours. */
const lastKey = '\u007f'

async function compactCrawlDb(crawlDb: CrawlDb, { context, rebuildsIndexes = false, rewritesRecords = false }: CompactJob): Promise<void> {
  if (rewritesRecords) {
    const all = { range: {}, matches: () => true, tests: false, isAll: true }
    await changeRecords(crawlDb, { context, kind: 'rewrite', records: { choice: all }, change: datum => ({ ...datum }), said: [] })
  }
  if (rebuildsIndexes) await rebuildIndexes(crawlDb, context.scoring.fingerprint)
  await crawlDb.level.compactRange('', lastKey)
}

async function measured(folder: string, work: () => Promise<void>): Promise<SizeChange> {
  const beforeBytes = await sizeOf(folder)
  await work()
  return { beforeBytes, afterBytes: await sizeOf(folder) }
}

/** Bytes of the files in a folder; 0 if there is none. */
async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(
    names.map(name =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0, // LevelDB removed it meanwhile
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
