import { crc32 } from 'node:zlib'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import { isJsonObject } from '../record/line-format.js'
import { type Metadata, noMetadata } from '../record/metadata.js'
import type { DbDatum } from '../record/records.js'
import { type DbStatus, isDbStatus, statusCodes, statusName } from '../record/status.js'
import { urlOfKey } from '../record/url-key.js'

/*
 * A CrawlDb value: version, status, retries and signature length (a byte each), fetchTimeMs and modifiedTimeMs (float64), fetchIntervalS
 * (uint32), score (float32), the signature, the metadata as JSON in UTF-8 (none if empty), and a CRC-32 over key and value. Big-endian.
 * What a scan needs stands at fixed offsets. In every version the first byte is the version, those fields stand where they are, and the CRC
 * ends the value: a version that this build cannot read is told from damage, and its counts are right.
 */

const version = 1

/** For a version, what makes the fields of its value (all but the CRC) those of the version after it. */
export type CodecSteps = ReadonlyMap<number, (fields: Buffer) => Buffer>

/** A build that changes the layout adds the step from the version before: records are then read as they are met, written anew as they
 *  change, and all at once by `compact --rewrite`. */
const stepsToThisVersion: CodecSteps = new Map()
const fixedBytes = 28
const crcBytes = 4
const maxIntervalS = 0xffff_ffff

/** @throws {RangeError} if a field is outside what the codec can hold; the rules never make such a record */
export function encodeDatum(key: string, datum: DbDatum): Buffer {
  const signatureBytes = datum.signature?.length ?? 0
  if (signatureBytes > 255) throw new RangeError(`signature of ${signatureBytes} bytes`)
  if (!Number.isFinite(datum.score)) throw new RangeError(`score ${datum.score} of ${datum.url}`)
  const metadata = metadataText(datum.metadata)
  const metadataBytes = metadata === '' ? 0 : Buffer.byteLength(metadata)
  const bytes = Buffer.allocUnsafe(fixedBytes + signatureBytes + metadataBytes + crcBytes)
  bytes[0] = version
  bytes[1] = statusCodes[datum.status]
  bytes[2] = Math.min(datum.retries, 255)
  bytes[3] = signatureBytes
  bytes.writeDoubleBE(datum.fetchTimeMs, 4)
  bytes.writeDoubleBE(datum.modifiedTimeMs, 12)
  bytes.writeUInt32BE(Math.min(Math.max(0, Math.round(datum.fetchIntervalS)), maxIntervalS), 20)
  bytes.writeFloatBE(datum.score, 24)
  if (datum.signature !== undefined) bytes.set(datum.signature, fixedBytes)
  if (metadataBytes > 0) bytes.write(metadata, fixedBytes + signatureBytes)
  const end = bytes.length - crcBytes
  bytes.writeUInt32BE(checksum(key, bytes.subarray(0, end)), end)
  return bytes
}

/** @param steps how to read what older builds wrote @throws {CrawlError} RECORD_VERSION or RECORD_CORRUPT, naming the URL */
export function decodeDatum(key: string, stored: Buffer, steps: CodecSteps = stepsToThisVersion): DbDatum {
  const bytes = fieldsOf(key, stored, steps)
  const signatureEnd = fixedBytes + (bytes[3] as number)
  return {
    url: urlOfKey(key),
    status: statusOf(key, bytes),
    fetchTimeMs: bytes.readDoubleBE(4),
    modifiedTimeMs: bytes.readDoubleBE(12),
    retries: bytes[2] as number,
    fetchIntervalS: bytes.readUInt32BE(20),
    score: bytes.readFloatBE(24),
    ...(signatureEnd > fixedBytes ? { signature: Uint8Array.from(bytes.subarray(fixedBytes, signatureEnd)) } : {}),
    metadata: signatureEnd === bytes.length ? noMetadata : metadataOf(key, bytes.toString('utf8', signatureEnd)),
  }
}

/** Reads of single fields at their fixed offsets, for scans. They trust the value: no CRC is checked. */
export const rawDatum = {
  status: (bytes: Buffer): DbStatus => statusName(bytes[1] as number) as DbStatus, // the codec writes no other
  statusCode: (bytes: Buffer): number => bytes[1] as number,
  retries: (bytes: Buffer): number => bytes[2] as number,
  fetchTimeMs: (bytes: Buffer): number => bytes.readDoubleBE(4),
  modifiedTimeMs: (bytes: Buffer): number => bytes.readDoubleBE(12),
  fetchIntervalS: (bytes: Buffer): number => bytes.readUInt32BE(20),
  score: (bytes: Buffer): number => bytes.readFloatBE(24),
}

/** The fields of a value, in this version's layout. */
function fieldsOf(key: string, stored: Buffer, steps: CodecSteps): Buffer {
  if (stored.length < fixedBytes + crcBytes) throw new CrawlError('RECORD_CORRUPT', `record of ${urlOfKey(key)} has ${stored.length} bytes`)
  const end = stored.length - crcBytes
  let fields = stored.subarray(0, end)
  if (checksum(key, fields) !== stored.readUInt32BE(end)) throw new CrawlError('RECORD_CORRUPT', `record of ${urlOfKey(key)} fails its CRC`)
  const found = fields[0] as number // fixedBytes are there
  if (found > version) throw otherVersion(key, found)
  for (let from = found; from < version; from++) {
    const step = steps.get(from)
    if (step === undefined) throw otherVersion(key, found)
    fields = step(fields)
  }
  if (fixedBytes + (fields[3] as number) > fields.length) throw new CrawlError('RECORD_CORRUPT', `record of ${urlOfKey(key)} is too short`)
  return fields
}

function otherVersion(key: string, found: number): CrawlError {
  const writer = found > version ? ', written by a newer build' : ''
  return new CrawlError('RECORD_VERSION', `record of ${urlOfKey(key)} has version ${found}${writer}; this build reads ${version}`)
}

function statusOf(key: string, bytes: Buffer): DbStatus {
  const status = statusName(bytes[1] as number)
  if (status === undefined || !isDbStatus(status)) throw new CrawlError('RECORD_CORRUPT', `record of ${urlOfKey(key)} has status ${bytes[1]}`)
  return status
}

function checksum(key: string, bytes: Buffer): number {
  return crc32(bytes, crc32(key))
}

function metadataText(metadata: Metadata): string {
  for (const _ in metadata) return JSON.stringify(metadata)
  return ''
}

function metadataOf(key: string, text: string): Metadata {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value as Metadata // the codec wrote it, and the CRC holds
    throw new TypeError('no object')
  } catch (cause) {
    throw new CrawlError('RECORD_CORRUPT', `metadata of ${urlOfKey(key)}: ${messageOf(cause)}`, { cause })
  }
}
