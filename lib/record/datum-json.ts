import { CrawlError } from '../errors/crawl-error.js'
import { float32Field, hexField, metadataField, numberField, textField, toHex, wrongField } from './json-fields.js'
import { formatLine } from './line-format.js'
import type { CrawlDatum, DbDatum } from './records.js'
import { isDbStatus, isStatus } from './status.js'
import type { Url } from './url.js'

/** The JSON part of a CrawlDatum's line: status, fetchTimeMs, modifiedTimeMs, retries, fetchIntervalS, score, signature (hex, if any), metadata. */
export function datumToJson(datum: CrawlDatum): Record<string, unknown> {
  return {
    status: datum.status,
    fetchTimeMs: datum.fetchTimeMs,
    modifiedTimeMs: datum.modifiedTimeMs,
    retries: datum.retries,
    fetchIntervalS: datum.fetchIntervalS,
    score: datum.score,
    ...(datum.signature === undefined ? {} : { signature: toHex(datum.signature) }),
    metadata: datum.metadata,
  }
}

/** The line of a record, with its LF: URL, tab, JSON. */
export function datumToLine(datum: CrawlDatum): string {
  return formatLine(datum.url, datumToJson(datum))
}

/** @throws {CrawlError} LINE_INVALID naming the field that is missing or wrong */
export function datumFromJson(url: Url, json: Readonly<Record<string, unknown>>): CrawlDatum {
  const status = textField(json, 'status')
  if (!isStatus(status)) throw wrongField('status', 'a CrawlDatum status', status)
  const signature = hexField(json, 'signature')
  return {
    url,
    status,
    fetchTimeMs: numberField(json, 'fetchTimeMs'),
    modifiedTimeMs: numberField(json, 'modifiedTimeMs'),
    retries: numberField(json, 'retries'),
    fetchIntervalS: numberField(json, 'fetchIntervalS'),
    score: float32Field(json, 'score'),
    ...(signature === undefined ? {} : { signature }),
    metadata: metadataField(json),
  }
}

/** @throws {CrawlError} LINE_INVALID if the record's status is none of the CrawlDb's */
export function dbDatumFromJson(url: Url, json: Readonly<Record<string, unknown>>): DbDatum {
  const datum = datumFromJson(url, json)
  if (!isDbDatum(datum)) throw new CrawlError('LINE_INVALID', `${datum.status} is no status of the CrawlDb`)
  return datum
}

export function isDbDatum(datum: CrawlDatum): datum is DbDatum {
  return isDbStatus(datum.status)
}
