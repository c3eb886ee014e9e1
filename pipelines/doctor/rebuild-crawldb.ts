import { access, cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { decodeDatum } from '../../lib/crawldb/datum-codec.js'
import { scanBatches } from '../../lib/crawldb/scan.js'
import { tables } from '../../lib/crawldb/tables.js'
import { CrawlError, isCrawlError, messageOf } from '../../lib/errors/crawl-error.js'
import { ManualClock } from '../../lib/log/clock.js'
import type { DbDatum } from '../../lib/record/records.js'
import { readManifest } from '../../lib/segment/manifest.js'
import { listSegments, type Segment } from '../../lib/segment/segment.js'
import { syncFolder } from '../../lib/segment/sync-folder.js'
import { JobLedger, ledgerRange } from '../../lib/store/job-ledger.js'
import { type Change, type Level, openLevel } from '../../lib/store/level-store.js'
import type { Merged } from '../../lib/store/sorted-merge.js'
import { type JobContext, withJobDb } from '../job.js'
import { updatedb } from '../updatedb.js'

/**
 * Makes the CrawlDb anew: the segments that were merged are merged again, then every record that can be read from the damaged tables takes the
 * place of what that gave. The new db is built aside and put in place when it is whole; the damaged folder stays as `crawldb.damaged-…`.
 * @throws {CrawlError} DB_DAMAGED if there is nothing to build it from
 */
export async function rebuildCrawlDb(context: JobContext): Promise<void> {
  const { root } = context.folder
  const work = join(root, 'doctor.tmp')
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  const salvaged = await openSalvaged(context, work)
  try {
    const aside: JobContext = { ...context, folder: { ...context.folder, root: work, spool: join(work, 'spool') } }
    await withJobDb(aside, crawlDb => build(crawlDb, aside, salvaged), true)
  } finally {
    await salvaged?.close()
  }
  await putInPlace(root, work)
  await rm(work, { recursive: true, force: true })
}

/** A copy of the damaged tables that LevelDB's own repair has made readable; undefined if there are none, or it gives up. */
async function openSalvaged({ folder, log }: JobContext, work: string): Promise<Level | undefined> {
  const copy = join(work, 'salvaged')
  try {
    await cp(join(folder.root, 'crawldb'), copy, { recursive: true, filter: path => !path.endsWith('/LOCK') })
    await ClassicLevel.repair(copy)
    return await openLevel(copy, { isCreating: false })
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'no table can be read; the db is built from the segments alone')
    return undefined
  }
}

async function build(crawlDb: CrawlDb, context: JobContext, salvaged: Level | undefined): Promise<void> {
  const segments = await mergedSegments(context, salvaged)
  for (const { segment, timeMs } of segments) await mergeAgain(crawlDb, { ...context, clock: new ManualClock(timeMs) }, segment)
  const kept = salvaged === undefined ? 0 : await overlay(crawlDb, salvaged)
  if (salvaged !== undefined) await copyLedger(crawlDb, salvaged)
  if (crawlDb.count === 0 && segments.length === 0 && kept === 0) {
    throw new CrawlError('DB_DAMAGED', `${context.folder.segments} and the tables hold nothing that a CrawlDb could be built from`)
  }
  context.log.info({ segments: segments.length, kept, records: crawlDb.count }, 'CrawlDb rebuilt')
}

interface MergedSegment {
  readonly segment: Segment
  readonly timeMs: number
}

/** Segments that had been merged, in that order: by the ledger, or where it is lost all that are sealed, which is a moment later. */
async function mergedSegments({ folder, clock }: JobContext, salvaged: Level | undefined): Promise<MergedSegment[]> {
  const merged: MergedSegment[] = []
  const ledger = salvaged === undefined ? undefined : new JobLedger(salvaged)
  for (const segment of await listSegments(folder.segments)) {
    const timeMs = await ledger?.appliedAtMs(segment.name).catch(() => undefined) // an entry that does not read is none
    if (timeMs !== undefined) merged.push({ segment, timeMs })
    else {
      const sealed = await readManifest(segment.folder)
      if (sealed !== undefined) merged.push({ segment, timeMs: Math.min(sealed.sealedMs, clock.nowMs()) })
    }
  }
  return merged.sort((a, b) => a.timeMs - b.timeMs || (a.segment.name < b.segment.name ? -1 : 1))
}

async function mergeAgain(crawlDb: CrawlDb, context: JobContext, segment: Segment): Promise<void> {
  try {
    await updatedb(crawlDb, { context, segments: [segment] })
  } catch (error) {
    if (!(error instanceof CrawlError) || (error.code !== 'SEGMENT_CORRUPT' && error.code !== 'LINE_INVALID')) throw error
    context.log.warn({ segment: segment.name, reason: error.message }, 'segment cannot be merged again')
  }
}

/** Puts every record that reads from the tables over what the segments gave. */
async function overlay(crawlDb: CrawlDb, salvaged: Level): Promise<number> {
  let kept = 0
  for await (const batch of scanBatches(salvaged, tables.datum)) {
    const found = batch.flatMap(([key, bytes]) => {
      const datum = tryDecode(key, bytes)
      return datum === undefined ? [] : [{ key, datum }]
    })
    kept += found.length
    await crawlDb.commits.run(async () => {
      const olds = await crawlDb.readMany(found.map(({ key }) => key))
      const merged: Merged<DbDatum>[] = found.map(({ key, datum }, index) => ({ key, old: olds[index], next: datum }))
      await crawlDb.commit(merged)
    })
  }
  return kept
}

function tryDecode(key: string, bytes: Buffer): DbDatum | undefined {
  try {
    return decodeDatum(key, bytes)
  } catch (error) {
    if (isCrawlError(error, 'RECORD_VERSION')) throw error // a build that can read it rebuilds without loss
    return undefined // damaged itself: what the segments gave stays
  }
}

/** Entries of the ledger, and the job under way with its mark where both are there. */
async function copyLedger(crawlDb: CrawlDb, salvaged: Level): Promise<void> {
  const changes: Change[] = []
  const isJobWhole = !(await new JobLedger(salvaged).hasStrayMark())
  for (const { gte, lt, isJob } of ledgerRange) {
    if (isJob && !isJobWhole) continue
    for await (const [key, value] of salvaged.iterator({ gte, lt })) changes.push({ key, value })
  }
  await crawlDb.commits.run(() => crawlDb.commit([], changes, true))
}

/** The old seal stands until the new db does, so that no process takes the folder for an empty one in between. */
async function putInPlace(root: string, work: string): Promise<void> {
  const place = join(root, 'crawldb')
  if (await isThere(place)) {
    const damaged = await freeName(join(root, 'crawldb.damaged'))
    await rename(place, damaged)
  }
  await rename(join(work, 'crawldb'), place)
  await rename(join(work, 'crawldb.seal'), join(root, 'crawldb.seal'))
  await syncFolder(root)
}

async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number++) if (!(await isThere(`${path}-${number}`))) return `${path}-${number}`
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
