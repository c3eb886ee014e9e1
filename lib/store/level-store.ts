import { readdir } from 'node:fs/promises'
import { ClassicLevel } from 'classic-level'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'
import { diskErrorOf } from './disk-errors.js'

export interface LevelOptions {
  readonly isCreating: boolean
  /** @defaultValue 8 MiB */
  readonly writeBufferBytes?: number
  /** @defaultValue 4 MiB */
  readonly cacheBytes?: number
}

/** LevelDB maps each table that is open, so these two are how much of a large db is resident: 64 MiB, and more only while tables that were just written,
 *  each as large as the write buffer, wait to be compacted. 74 is the least that it takes, ten of which are not for tables; jobs go through the db in the
 *  order of keys and need fewer. */
const tableBytes = 1024 * 1024
const openTables = 74

export type Level = ClassicLevel<string, Buffer>

/** The value of a key that says all by being there. Not empty: classic-level (3.0) loses 32 bytes of memory with each empty value that it writes. */
export const presence = Buffer.of(1)

/** One change of a batch; without a value the key is deleted. Values are not empty: see `presence`. */
export interface Change {
  readonly key: string
  readonly value?: Buffer
}

/** Opens a LevelDB with ASCII keys and bytes as values. @throws {CrawlError} DB_LOCKED, DB_MISSING, DB_DAMAGED or IO_FAILED */
export async function openLevel(location: string, { isCreating, writeBufferBytes, cacheBytes }: LevelOptions): Promise<Level> {
  await refuseUnlessThere(location, isCreating)
  const level: Level = new ClassicLevel(location, { keyEncoding: 'utf8', valueEncoding: 'buffer' })
  try {
    await level.open({
      createIfMissing: isCreating,
      writeBufferSize: writeBufferBytes ?? 8 * 1024 * 1024,
      cacheSize: cacheBytes ?? 4 * 1024 * 1024,
      blockSize: 8 * 1024,
      maxFileSize: tableBytes,
      maxOpenFiles: openTables,
    })
  } catch (error) {
    throw openError(location, error)
  }
  return level
}

/** LevelDB makes the folder also where it only looks, and an empty database where CURRENT is gone; then it deletes the tables. */
async function refuseUnlessThere(location: string, isCreating: boolean): Promise<void> {
  const names: readonly string[] = await readdir(location).catch(error => {
    if (systemCodeOf(error) === 'ENOENT') return []
    throw diskErrorOf(error, location)
  })
  if (names.includes('CURRENT')) return
  if (names.some(name => /\.(?:log|ldb|sst)$/.test(name))) throw new CrawlError('DB_DAMAGED', `${location}: CURRENT is missing, and there are tables`)
  if (!isCreating) throw new CrawlError('DB_MISSING', `there is no database at ${location}`)
}

/** What went wrong below `db.open()`, in our own codes. */
function openError(location: string, error: unknown): CrawlError {
  const cause = error instanceof Error ? error.cause : undefined
  const code = systemCodeOf(cause) ?? systemCodeOf(error)
  const message = cause instanceof Error ? cause.message : String(error)
  if (code === 'LEVEL_LOCKED') return new CrawlError('DB_LOCKED', `${location} is held by another process`, { cause: error })
  if (/does not exist/.test(message)) return new CrawlError('DB_MISSING', `there is no database at ${location}`, { cause: error })
  if (code === 'LEVEL_CORRUPTION' || /Corruption/i.test(message)) {
    return new CrawlError('DB_DAMAGED', `${location} does not open: ${message}`, { cause: error })
  }
  return diskErrorOf(error, location)
}

/** Changes that are written together, or not at all. LevelDB has each as soon as it is added, so that none waits as an object. */
export class ChangeBatch {
  readonly #level: Level
  readonly #batch: ReturnType<Level['batch']>

  /** @throws {CrawlError} IO_FAILED if the database is not open */
  constructor(level: Level) {
    this.#level = level
    try {
      this.#batch = level.batch()
    } catch (error) {
      throw diskErrorOf(error, level.location)
    }
  }

  put(key: string, value: Buffer): void {
    this.#batch.put(key, value)
  }

  delete(key: string): void {
    this.#batch.del(key)
  }

  addAll(changes: Iterable<Change>): void {
    for (const { key, value } of changes) {
      if (value === undefined) this.delete(key)
      else this.put(key, value)
    }
  }

  /** `isSynced` waits until the disk has it. @throws {CrawlError} DISK_FULL or IO_FAILED */
  async write(isSynced = false): Promise<void> {
    try {
      await this.#batch.write({ sync: isSynced })
    } catch (error) {
      throw diskErrorOf(error, this.#level.location)
    }
  }
}

/** Writes changes in one atomic batch. `isSynced` waits until the disk has it. @throws {CrawlError} DISK_FULL or IO_FAILED */
export async function writeChanges(level: Level, changes: Iterable<Change>, isSynced = false): Promise<void> {
  const batch = new ChangeBatch(level)
  batch.addAll(changes)
  await batch.write(isSynced)
}
