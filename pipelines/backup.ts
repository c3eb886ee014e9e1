import { copyFile, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { Seal } from '../lib/crawldb/seal.js'
import { withSnapshot } from '../lib/crawldb/snapshot-view.js'
import { verifyCrawlDb } from '../lib/crawldb/verify.js'
import { CrawlError, isCrawlError, systemCodeOf } from '../lib/errors/crawl-error.js'
import { withLinkDb } from '../lib/linkdb/open.js'
import { checkSealed } from '../lib/segment/check-sealed.js'
import { captureLogName, parts } from '../lib/segment/part-names.js'
import { listSegments, type Segment } from '../lib/segment/segment.js'
import { syncFolder } from '../lib/segment/sync-folder.js'
import { diskErrorOf } from '../lib/store/disk-errors.js'
import { type Change, type Level, openLevel, writeChanges } from '../lib/store/level-store.js'
import { crawlFolder } from './crawl-folder.js'
import { type JobContext, withJobDb } from './job.js'

export interface BackupReport {
  readonly urls: number
  readonly segments: number
  readonly bytes: number
}

/** Files of a crawl folder that belong to the process that runs on it, not to the crawl. */
const ofProcess = /^(?:holder\.json|control\.sock|crawldb.*|linkdb.*|segments|segment-\d{14}\.lock|doctor\.tmp|\.STOP)$|\.tmp$/
/** Copies of a segment that may be begun anew because it was sealed meanwhile. */
const maxTries = 5
const entriesPerBatch = 2000

/**
 * Copies a crawl folder to a new one that can be crawled on with, also while the crawl runs: the CrawlDb as of one moment, then what the segments
 * have committed since. The copy is verified, and stands at `to` only when it is whole.
 * @throws {CrawlError} USAGE if something stands at `to`, or it is in the crawl's folder, DB_DAMAGED if the copy has faults
 */
export async function backup(crawlDb: CrawlDb, context: JobContext, to: string): Promise<BackupReport> {
  await refuseUnlessFree(to)
  const partial = `${to}.partial`
  try {
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial, { recursive: true })
    await refuseInside(context.folder.root, partial)
    await copyFiles(context.folder.spool, join(partial, 'spool')) // seeds of an inject under way, which are removed when it is done: the copy may have it half done
    await withSnapshot(crawlDb, view => copyCrawlDb(view, join(partial, 'crawldb')))
    await copyLinkDb(context, partial)
    const segments = await copySegments(context, partial)
    await copyFiles(context.folder.root, partial)
    const urls = await verifyCopy(context, partial)
    await rename(partial, to)
    return { urls, segments, bytes: await bytesIn(to) }
  } catch (error) {
    throw error instanceof CrawlError ? error : diskErrorOf(error, partial)
  }
}

async function refuseUnlessFree(to: string): Promise<void> {
  const names = await readdir(to).catch(error => {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw new CrawlError('USAGE', `${to} cannot take a backup: it is there and no empty folder`, { cause: error })
  })
  if (names !== undefined && names.length > 0) throw new CrawlError('USAGE', `${to} is not empty; a backup goes to a new folder`)
}

/** A copy that is part of what is copied would have no end. */
async function refuseInside(root: string, partial: string): Promise<void> {
  if (!(await realpath(partial)).startsWith((await realpath(root)) + sep)) return
  await rm(partial, { recursive: true })
  throw new CrawlError('USAGE', `a backup cannot stand in ${root} itself`)
}

async function copyCrawlDb(view: CrawlDb, location: string): Promise<void> {
  await copyLevel(view.level, location)
  await new Seal(location).write(view.state)
}

async function copyLevel(from: Level, location: string): Promise<void> {
  const level = await openLevel(location, { isCreating: true })
  try {
    const iterator = from.iterator({ fillCache: false })
    try {
      for (let entries = await iterator.nextv(entriesPerBatch); entries.length > 0; entries = await iterator.nextv(entriesPerBatch)) {
        const changes: Change[] = entries.map(([key, value]) => ({ key, value }))
        await writeChanges(level, changes)
      }
    } finally {
      await iterator.close()
    }
    await level.compactRange('!', '~') // writes all of it to tables, which LevelDB syncs
  } finally {
    await level.close()
  }
}

/** The LinkDb is held only while it is being changed; then a backup has to wait. */
async function copyLinkDb({ folder, config }: JobContext, partial: string): Promise<void> {
  try {
    await withLinkDb({ folder: folder.root, config: config.db }, linkDb => copyLevel(linkDb.level, join(partial, 'linkdb')))
  } catch (error) {
    if (!isCrawlError(error, 'DB_MISSING')) throw error
  }
}

async function copySegments(context: JobContext, partial: string): Promise<number> {
  const segments = await listSegments(context.folder.segments)
  for (const segment of segments) await copySegment(segment, crawlFolder(partial).segments)
  return segments.length
}

/** A segment that is sealed while it is copied loses its plain parts: then it is copied again. */
async function copySegment(segment: Segment, folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const to = join(folder, segment.name)
    await rm(to, { recursive: true, force: true })
    await mkdir(to, { recursive: true })
    try {
      await copyInOrder(segment.folder, to)
      return
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT' || tries === maxTries) throw error
    }
  }
}

/** What commits goes first, so that all that it names is there when that is copied after it. */
async function copyInOrder(from: string, to: string): Promise<void> {
  const first: readonly string[] = [parts.outcomes, parts.crawlParse, captureLogName]
  const names = await readdir(from)
  const ordered = [...first.filter(name => names.includes(name)), ...names.filter(name => !first.includes(name))]
  for (const name of ordered) await copyFile(join(from, name), join(to, name))
  await syncFolder(to)
}

/** Files, and those that links lead to. What goes meanwhile was of a job that is done. */
async function copyFiles(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true }).catch(passOverGone)) {
    if (ofProcess.test(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    await mkdir(to, { recursive: true })
    if (entry.isDirectory()) await copyFiles(source, target)
    else if (await isFileAt(source)) await copyFile(source, target).catch(passOverGone)
  }
}

async function isFileAt(path: string): Promise<boolean> {
  const stats = await stat(path).catch(passOverGone)
  return !Array.isArray(stats) && stats.isFile()
}

function passOverGone(error: unknown): never[] {
  if (systemCodeOf(error) === 'ENOENT') return []
  throw error
}

/** Opens the copy as a crawl would, and checks it. @returns its records */
async function verifyCopy(context: JobContext, partial: string): Promise<number> {
  const { heldDb: _, serve: __, ...rest } = context
  const copy: JobContext = { ...rest, folder: crawlFolder(partial) }
  for (const segment of await listSegments(copy.folder.segments)) {
    if ((await segment.state()) !== 'sealed') continue
    for await (const fault of checkSealed(segment)) throw new CrawlError('SEGMENT_CORRUPT', `segment ${segment.name}: ${fault}`)
  }
  return withJobDb(copy, async crawlDb => {
    for await (const { table, problem } of verifyCrawlDb(crawlDb)) throw new CrawlError('DB_DAMAGED', `${table}: ${problem}`)
    return crawlDb.count
  })
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  }
  return bytes
}
