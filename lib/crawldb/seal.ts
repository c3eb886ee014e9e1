import { open, readdir, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'
import { diskErrorOf } from '../store/disk-errors.js'
import { type DbState, recordCount } from './db-state.js'

/** What the db held at the last synced write, kept outside LevelDB's own files. */
interface SealedFacts {
  readonly sequence: number
  readonly records: number
  /** Name and size of LevelDB's MANIFEST: a shorter one has lost tables. */
  readonly manifest: string
  readonly manifestBytes: number
}

/**
 * Guards against damage that LevelDB hides: with its MANIFEST cut or CURRENT gone it opens without an error, with a part of the records, and
 * deletes the tables of the rest. So the facts are compared before LevelDB touches its files, and again with the state that it then holds.
 */
export class Seal {
  readonly #levelFolder: string
  readonly #file: string

  constructor(levelFolder: string) {
    this.#levelFolder = levelFolder
    this.#file = `${levelFolder}.seal`
  }

  /** @throws {CrawlError} DB_DAMAGED if the files cannot hold what was sealed */
  async checkFiles(): Promise<{ readonly exists: boolean }> {
    const sealed = await this.#read()
    const manifest = await this.#currentManifest()
    if (sealed === undefined && manifest === undefined && (await this.#hasRecordsFiles())) {
      throw this.damaged('CURRENT or its MANIFEST is missing, and there are tables')
    }
    if (sealed === undefined) return { exists: manifest !== undefined }
    if (manifest === undefined) throw this.damaged(`CURRENT or its MANIFEST is missing, ${sealed.records} records were sealed`)
    const isSameManifest = manifest.name === sealed.manifest
    if (isSameManifest && manifest.bytes < sealed.manifestBytes) {
      throw this.damaged(`${manifest.name} has ${manifest.bytes} bytes, ${sealed.manifestBytes} were sealed`)
    }
    if (!isSameManifest && manifestNumber(manifest.name) < manifestNumber(sealed.manifest)) {
      throw this.damaged(`CURRENT names ${manifest.name}, ${sealed.manifest} was sealed`)
    }
    return { exists: true }
  }

  /** @throws {CrawlError} DB_DAMAGED if `state` is older than what was sealed */
  async checkState(state: DbState | undefined): Promise<void> {
    const sealed = await this.#read()
    if (sealed === undefined) return
    if (state === undefined) throw this.damaged(`no state record, ${sealed.records} records were sealed`)
    if (state.sequence < sealed.sequence) {
      throw this.damaged(
        `it stands at batch ${state.sequence} with ${recordCount(state)} records, batch ${sealed.sequence} with ${sealed.records} was sealed`,
      )
    }
  }

  /** Records that `state` is on disk. */
  async write(state: DbState): Promise<void> {
    const manifest = await this.#currentManifest()
    const facts: SealedFacts = {
      sequence: state.sequence,
      records: recordCount(state),
      manifest: manifest?.name ?? '',
      manifestBytes: manifest?.bytes ?? 0,
    }
    const temporary = `${this.#file}.tmp`
    try {
      const handle = await open(temporary, 'w')
      try {
        await handle.writeFile(`${JSON.stringify(facts)}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temporary, this.#file)
    } catch (error) {
      throw diskErrorOf(error, this.#file)
    }
  }

  async #read(): Promise<SealedFacts | undefined> {
    const text = await readIfThere(this.#file)
    if (text === undefined) return undefined
    try {
      return JSON.parse(text) as SealedFacts // this class wrote it
    } catch (cause) {
      throw new CrawlError('DB_DAMAGED', `${this.#file} does not read; millrace doctor ${dirname(this.#levelFolder)} --repair makes it anew`, {
        cause,
      })
    }
  }

  /** Whether LevelDB ever wrote records here: it makes logs and tables after CURRENT only. */
  async #hasRecordsFiles(): Promise<boolean> {
    try {
      return (await readdir(this.#levelFolder)).some(name => /\.(?:log|ldb|sst)$/.test(name))
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return false
      throw diskErrorOf(error, this.#levelFolder)
    }
  }

  async #currentManifest(): Promise<{ readonly name: string; readonly bytes: number } | undefined> {
    const name = (await readIfThere(join(this.#levelFolder, 'CURRENT')))?.trim()
    if (name === undefined || name === '') return undefined
    try {
      return { name, bytes: (await stat(join(this.#levelFolder, name))).size }
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return undefined
      throw diskErrorOf(error, join(this.#levelFolder, name))
    }
  }

  /** The error that refuses a db, with the way out. */
  damaged(reason: string): CrawlError {
    const folder = dirname(this.#levelFolder)
    return new CrawlError(
      'DB_DAMAGED',
      `${this.#levelFolder} is damaged and was left as it is: ${reason}. millrace doctor ${folder} --repair rebuilds it`,
    )
  }
}

function manifestNumber(name: string): number {
  return Number(name.replace('MANIFEST-', '')) || 0
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw diskErrorOf(error, file)
  }
}
