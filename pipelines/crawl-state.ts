import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject } from '../lib/record/line-format.js'
import { writeAtomic } from '../lib/segment/write-atomic.js'

/** What a crawl must know to go on: `DIR/crawl.json`. */
export interface CrawlState {
  /** Hash of what the user asked for: the same command goes on, another begins anew. */
  readonly command: string
  /** Segments that the ledger held as applied when the crawl began. */
  readonly appliedBefore: number
  /** Rounds that a stop cut short: they do not count. */
  readonly cutRounds: number
  /** Pages fetched by segments that were applied since the crawl began. */
  readonly fetched: number
  readonly isFinished: boolean
}

/** The state of a crawl that was begun with this command and not finished, or undefined. */
export async function readCrawlState(folder: string, command: string): Promise<CrawlState | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(fileOf(folder), 'utf8'))
    const state = value as CrawlState // writeCrawlState wrote it
    return isJsonObject(value) && state.command === command && !state.isFinished ? state : undefined
  } catch {
    return undefined // none yet, or torn: the crawl counts from here
  }
}

export async function writeCrawlState(folder: string, state: CrawlState): Promise<void> {
  await writeAtomic(fileOf(folder), `${JSON.stringify(state)}\n`)
}

function fileOf(folder: string): string {
  return join(folder, 'crawl.json')
}
