import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FetchConfig } from '../lib/config/fetch-options.js'
import { systemCodeOf } from '../lib/errors/crawl-error.js'
import { ownDelayMs, type PolitenessState, type QueuePoliteness } from '../lib/fetch/politeness.js'
import { isJsonObject } from '../lib/record/line-format.js'
import { diskErrorOf } from '../lib/store/disk-errors.js'

/** `DIR/politeness.json`: when each queue may be asked again, kept from one run to the next. */
export interface StoredPoliteness {
  /** Whether a fetch was under way when this was written: if none is, it was killed, and what it did since is not known. */
  readonly isRunning: boolean
  /** When it was written, by the clock that `nextMs` counts by, which `--now` sets. Epoch ms. */
  readonly clockMs: number
  /** The same by the machine's clock. */
  readonly wallMs: number
  readonly queues: PolitenessState
}

/** Stands for a file that says nothing: whoever was at work may have asked any host just now. */
const unreadable: StoredPoliteness = { isRunning: true, clockMs: 0, wallMs: 0, queues: {} }

/** What is kept, or undefined where there is no such file. One that does not read is what a power failure left of a run. */
export async function readStoredPoliteness(folder: string): Promise<StoredPoliteness | undefined> {
  let text: string
  try {
    text = await readFile(fileOf(folder), 'utf8')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw diskErrorOf(error, fileOf(folder))
  }
  const value = parsed(text)
  if (!isJsonObject(value)) return unreadable
  if (typeof value.isRunning === 'boolean') return isJsonObject(value.queues) ? (value as unknown as StoredPoliteness) : unreadable // writePoliteness wrote it
  return { isRunning: false, clockMs: 0, wallMs: 0, queues: value as PolitenessState } // queues only, as another tool may write them
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** When each queue may be asked again, as it was when a run last said so. */
export async function readPoliteness(folder: string): Promise<PolitenessState> {
  return (await readStoredPoliteness(folder))?.queues ?? {}
}

/** The file is replaced by rename. @throws {CrawlError} DISK_FULL, IO_FAILED */
export async function writePoliteness(folder: string, stored: StoredPoliteness): Promise<void> {
  const file = fileOf(folder)
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await writeFile(temporary, JSON.stringify(stored))
    await rename(temporary, file)
  } catch (error) {
    throw diskErrorOf(error, file)
  }
}

export interface RestoreOptions {
  /** Now, by the clock that delays are counted by. */
  readonly nowMs: number
  /** Now, by the machine's clock. */
  readonly wallMs: number
  readonly config: FetchConfig
}

/**
 * What was kept, for a run that begins now. A queue waits no longer than either clock says, so that a clock that was set by `--now`, or went back,
 * holds nobody up. After a kill every queue that is named counts as asked just now.
 */
export function restorePoliteness({ isRunning, clockMs, wallMs, queues }: StoredPoliteness, now: RestoreOptions): PolitenessState {
  const restored: Record<string, QueuePoliteness> = {}
  for (const [id, politeness] of Object.entries(queues)) {
    const byMachineMs = wallMs > 0 ? politeness.nextMs - clockMs - (now.wallMs - wallMs) : Number.POSITIVE_INFINITY
    const leftMs = Math.min(politeness.nextMs - now.nowMs, byMachineMs, politeness.delayMs)
    const askedNowMs = isRunning ? ownDelayMs(politeness, now.config) : Number.NEGATIVE_INFINITY
    const nextMs = now.nowMs + Math.max(leftMs, askedNowMs)
    const isRemembered = politeness.failures > 0 && nextMs + now.config.exceptionsClearAfterMs >= now.nowMs
    if (nextMs > now.nowMs || isRemembered) restored[id] = { ...politeness, nextMs }
  }
  return restored
}

function fileOf(folder: string): string {
  return join(folder, 'politeness.json')
}
