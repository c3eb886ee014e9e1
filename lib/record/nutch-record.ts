import { CrawlError } from '../errors/crawl-error.js'
import { isFiniteFloat32 } from './float32.js'
import type { DbDatum } from './records.js'
import { isDbStatus, statusName } from './status.js'

/** A CrawlDb record as a dump of Nutch tells it. Its URL was not normalized by us; times are to the second. */
export interface NutchRecord {
  readonly urlText: string
  readonly datum: Omit<DbDatum, 'url'>
  /** Line at which it begins, from 1. */
  readonly lineNumber: number
}

/** Takes a dump line by line and gives each record once its last line is known. Memory: one record. */
export interface NutchDumpReader {
  /** @throws {CrawlError} LINE_INVALID naming the line and what is wrong; the reader goes on with the next record */
  take(line: string, lineNumber: number): NutchRecord | undefined
  /** The record that the dump ends with. @throws {CrawlError} LINE_INVALID */
  end(): NutchRecord | undefined
}

export const nutchVersion = 7
export const secondsOfDay = 86_400

/** Fields of a dump as they stand there. */
export interface RawRecord {
  readonly statusCode: string
  readonly fetchTimeMs: number
  readonly modifiedTimeMs: number
  readonly retries: string
  readonly intervalS: number
  readonly score: string
  readonly signature: string
  readonly metadata: Record<string, string>
}

/** @throws {CrawlError} LINE_INVALID naming the field that cannot be read */
export function datumOfRaw(raw: RawRecord): Omit<DbDatum, 'url'> {
  const status = statusName(Number(raw.statusCode))
  if (status === undefined || !isDbStatus(status)) throw wrong('status', raw.statusCode)
  if (!/^\d{1,3}$/.test(raw.retries)) throw wrong('retries', raw.retries)
  if (!(raw.intervalS >= 0)) throw wrong('interval', String(raw.intervalS))
  if (raw.score === '' || !isFiniteFloat32(Number(raw.score))) throw wrong('score', raw.score)
  if (!/^(?:null|(?:[0-9a-f]{2})*)$/.test(raw.signature)) throw wrong('signature', raw.signature)
  return {
    status,
    fetchTimeMs: raw.fetchTimeMs,
    modifiedTimeMs: raw.modifiedTimeMs,
    retries: Number(raw.retries),
    fetchIntervalS: Math.min(2_147_483_647, Math.round(raw.intervalS)),
    score: Math.fround(Number(raw.score)),
    ...(raw.signature === 'null' || raw.signature === '' ? {} : { signature: Buffer.from(raw.signature, 'hex') }),
    metadata: raw.metadata,
  }
}

function wrong(field: string, text: string): CrawlError {
  return new CrawlError('LINE_INVALID', `${field} cannot be ${JSON.stringify(text.slice(0, 100))}`)
}

/** `error` with the line that it concerns. */
export function atLine(lineNumber: number, error: unknown): CrawlError {
  const reason = error instanceof Error ? error.message : String(error)
  return new CrawlError('LINE_INVALID', `line ${lineNumber}: ${reason}`, { cause: error })
}
