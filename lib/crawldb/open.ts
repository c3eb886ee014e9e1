import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DbConfig } from '../config/db-options.js'
import { CrawlError, isCrawlError, messageOf, systemCodeOf } from '../errors/crawl-error.js'
import { type Clock, systemClock } from '../log/clock.js'
import { diskErrorOf } from '../store/disk-errors.js'
import { HolderFile } from '../store/holder.js'
import { JobLedger } from '../store/job-ledger.js'
import { type Level, openLevel } from '../store/level-store.js'
import { missingBatch } from './batch-trail.js'
import { CrawlDb } from './crawl-db.js'
import { type DbState, newDbState, parseDbState } from './db-state.js'
import type { SortValueOf } from './place.js'
import { rebuildIndexes } from './rebuild-indexes.js'
import { Seal } from './seal.js'
import { tables } from './tables.js'

/** What the `due` index sorts by. The fingerprint changes when the values would. */
export interface DueOrder {
  readonly sortValueOf: SortValueOf
  readonly fingerprint: string
}

/** Which CrawlDb, and how it is to be held. */
export interface OpenCrawlDbOptions {
  /** The crawl's folder; the db is in `crawldb` below it. */
  readonly folder: string
  readonly config: DbConfig
  readonly order: DueOrder
  /** Make a db where none stands and none ever stood. @defaultValue false */
  readonly isCreating?: boolean
  /** For `holder.json`: what the user called. */
  readonly command: string
  readonly clock?: Clock
}

/** Opens the CrawlDb, lends it to `use`, and closes it whatever happens.
 *  @throws {CrawlError} DB_MISSING, DB_LOCKED (naming the holder), DB_DAMAGED */
export async function withCrawlDb<T>(options: OpenCrawlDbOptions, use: (crawlDb: CrawlDb) => Promise<T>): Promise<T> {
  const holder = new HolderFile(options.folder)
  const { crawlDb, level } = await openCrawlDb(options, holder)
  try {
    return await use(crawlDb)
  } catch (error) {
    throw damageOf(error, options.folder)
  } finally {
    await crawlDb.commits.drained()
    await holder.remove().finally(() => level.close())
  }
}

async function openCrawlDb(options: OpenCrawlDbOptions, holder: HolderFile): Promise<{ crawlDb: CrawlDb; level: Level }> {
  const { folder, config, isCreating = false, command, clock = systemClock } = options
  const location = join(folder, 'crawldb')
  const seal = new Seal(location)
  const { exists } = await seal.checkFiles()
  if (!exists && !isCreating) throw new CrawlError('DB_MISSING', `there is no CrawlDb in ${folder}; inject makes one`)
  if (!exists) await makeFolder(location)
  const level = await openLocked(folder, holder, { isCreating: !exists, ...config })
  try {
    const state = await readState(level)
    await seal.checkState(state)
    await checkTrail(level, state, seal)
    await holder.write({ pid: process.pid, command, sinceMs: clock.nowMs() })
    return { crawlDb: await prepare(options, level, seal, state), level }
  } catch (error) {
    await level.close()
    throw damageOf(error, folder)
  }
}

async function openLocked(folder: string, holder: HolderFile, options: Parameters<typeof openLevel>[1]): Promise<Level> {
  try {
    return await openLevel(join(folder, 'crawldb'), options)
  } catch (error) {
    throw damageOf(await holder.explainLock(error), folder)
  }
}

/** What LevelDB says of a damaged file, in our own code and with the way out; other errors stay what they are. */
function damageOf(error: unknown, folder: string): unknown {
  const isLevels = systemCodeOf(error) === 'LEVEL_CORRUPTION' || isCrawlError(error, 'DB_DAMAGED')
  const message = messageOf(error)
  if (!(isLevels || isCrawlError(error, 'RECORD_CORRUPT')) || message.includes('--repair')) return error
  return new CrawlError(
    isLevels ? 'DB_DAMAGED' : 'RECORD_CORRUPT',
    `the CrawlDb of ${folder} is damaged: ${message}. millrace doctor ${folder} --repair rebuilds it`,
    {
      cause: error,
    },
  )
}

/** A batch that is missing before the last one was lost without a word: the counts are then wrong, and a job could be applied twice. */
async function checkTrail(level: Level, state: DbState | undefined, seal: Seal): Promise<void> {
  if (state === undefined) {
    const [key] = await level.keys({ limit: 1 }).all()
    if (key !== undefined) throw seal.damaged('it has no state record')
    return
  }
  const missing = await missingBatch(level, state.sequence)
  if (missing !== undefined) throw seal.damaged(`batch ${missing} of ${state.sequence} is missing`)
  if (await new JobLedger(level).hasStrayMark()) throw seal.damaged('the mark of a job stands there without the job')
}

async function readState(level: Level): Promise<DbState | undefined> {
  const bytes = await level.get(tables.state)
  return bytes === undefined ? undefined : parseDbState(bytes)
}

/** Writes the state of a new db, seals what was found under LevelDB's new MANIFEST, and rebuilds the indexes if their order changed. */
async function prepare({ order }: OpenCrawlDbOptions, level: Level, seal: Seal, found: DbState | undefined): Promise<CrawlDb> {
  const state = found ?? newDbState(order.fingerprint)
  if (found === undefined) await level.put(tables.state, Buffer.from(JSON.stringify(state)), { sync: true })
  await seal.write(state)
  const crawlDb = new CrawlDb({ level, state, seal, sortValueOf: order.sortValueOf })
  if (state.sortFingerprint !== order.fingerprint) await rebuildIndexes(crawlDb, order.fingerprint)
  return crawlDb
}

async function makeFolder(location: string): Promise<void> {
  try {
    await mkdir(location, { recursive: true })
  } catch (error) {
    throw diskErrorOf(error, location)
  }
}
