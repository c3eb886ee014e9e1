import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CrawlError, isCrawlError } from '../errors/crawl-error.js'
import { diskErrorOf } from './disk-errors.js'

/** Who holds the databases of a crawl folder. */
export interface Holder {
  readonly pid: number
  readonly command: string
  readonly sinceMs: number
}

/** `DIR/holder.json`: who holds the db. Only a text for people; the lock itself is LevelDB's. */
export class HolderFile {
  readonly #file: string
  constructor(folder: string) {
    this.#file = join(folder, 'holder.json')
  }

  async write(holder: Holder): Promise<void> {
    try {
      await writeFile(this.#file, `${JSON.stringify(holder)}\n`)
    } catch (error) {
      throw diskErrorOf(error, this.#file)
    }
  }

  async remove(): Promise<void> {
    try {
      await rm(this.#file, { force: true })
    } catch (error) {
      throw diskErrorOf(error, this.#file)
    }
  }

  async read(): Promise<Holder | undefined> {
    try {
      const holder = JSON.parse(await readFile(this.#file, 'utf8')) as Partial<Holder> | null // whatever stands there: checked in the next line
      const { pid, command, sinceMs } = holder ?? {}
      return Number.isInteger(pid) && typeof command === 'string' && Number.isFinite(sinceMs) ? (holder as Holder) : undefined
    } catch {
      return undefined // a missing or torn file says nothing, and nothing depends on it
    }
  }

  /** Names the holder in an error that LevelDB's lock caused; other errors stay what they are. */
  async explainLock(error: unknown): Promise<unknown> {
    if (!isCrawlError(error, 'DB_LOCKED')) return error
    const holder = await this.read()
    if (holder === undefined) return error
    const since = new Date(holder.sinceMs).toISOString()
    return new CrawlError('DB_LOCKED', `${error.message}: process ${holder.pid} (${holder.command}), since ${since}`, { cause: error })
  }
}
