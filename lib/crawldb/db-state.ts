import { CrawlError } from '../errors/crawl-error.js'
import { type DbStatus, dbStatuses } from '../record/status.js'
import type { WaterMark } from './place.js'

/** What the db knows of itself; written in the same batch as the records that change it. */
export interface DbState {
  readonly version: 1
  /** Batches written so far. */
  readonly sequence: number
  readonly byStatus: Readonly<Partial<Record<DbStatus, number>>>
  readonly waterMark: WaterMark
  /** Of the scoring chain that the `due` index was made with. */
  readonly sortFingerprint: string
  /** Whether the facts of hosts are kept in step with the records. @defaultValue false */
  readonly keepsHosts?: boolean
}

export function newDbState(sortFingerprint: string): DbState {
  return { version: 1, sequence: 0, byStatus: {}, waterMark: { timeMs: -1, key: '' }, sortFingerprint }
}

/** @throws {CrawlError} RECORD_VERSION or RECORD_CORRUPT */
export function parseDbState(bytes: Uint8Array): DbState {
  let state: DbState
  try {
    state = JSON.parse(Buffer.from(bytes).toString()) as DbState // checked in the next lines as far as it can be wrong
  } catch (cause) {
    throw new CrawlError('RECORD_CORRUPT', "the db's state record does not read", { cause })
  }
  if (state.version !== 1) throw new CrawlError('RECORD_VERSION', `the db has version ${state.version}, this build reads 1`)
  return state
}

export function recordCount(state: DbState): number {
  let count = 0
  for (const status of dbStatuses) count += state.byStatus[status] ?? 0
  return count
}
