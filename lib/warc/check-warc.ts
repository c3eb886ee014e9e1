import { createHash, type Hash } from 'node:crypto'
import { isDigestOf, isKnownAlgorithm, isSpelling } from './digest-value.js'
import { decodedBody, unchunkedBody } from './http-body.js'
import { headEnd, parseHttpHead } from './http-head.js'
import { readWarcFile } from './read-warc.js'
import type { WarcItem, WarcRecord } from './streamed-record.js'
import { holdsHttp, isSegment, type WarcHead, warcField } from './warc-fields.js'

/** What a check says of one record, or of bytes that are none. */
export interface CheckedRecord {
  /** WARC-Type; empty for bytes that are no record. */
  readonly type: string
  /** Where the record, or its gzip member, begins. */
  readonly offset: number
  /** Content-Length; -1 if it has none. */
  readonly length: number
  /** WARC-Date as it stands there. */
  readonly date: string
  /** Whether block and payload digest are right; null if there are none that can be checked. */
  readonly digestOk: boolean | null
  /** All that is wrong, or null. */
  readonly error: string | null
  readonly uri: string
  readonly id: string
  /** What the record takes up in the file. */
  readonly storedLength: number
}

/** Payloads are compared up to this size of the block; the block digest is checked at any size. */
const largestPayloadBlockBytes = 64 * 1024 * 1024
const mandatory = ['WARC-Record-ID', 'WARC-Date', 'WARC-Type'] as const

/** Checks a WARC file record by record: framing, gzip, lengths, mandatory fields, digests. A file without any record gives one fault. */
export async function* checkWarc(path: string, signal?: AbortSignal): AsyncGenerator<CheckedRecord> {
  let isEmpty = true
  for await (const item of readWarcFile(path, signal)) {
    isEmpty = false
    yield await checkItem(item)
  }
  if (isEmpty) yield noRecord(0, 'no record')
}

function noRecord(offset: number, error: string): CheckedRecord {
  return { type: '', offset, length: -1, date: '', digestOk: null, error, uri: '', id: '', storedLength: 0 }
}

async function checkItem(item: WarcItem): Promise<CheckedRecord> {
  if (item.kind === 'fault') return noRecord(item.offsetBytes, item.error.message)
  const { head, type, uri, offsetBytes, lengthBytes } = item
  const digests = await checkDigests(item)
  const { storedBytes, faults } = await item.finish()
  const problems = [...faults, ...fieldProblems(head), ...digests.problems]
  return {
    type,
    offset: offsetBytes,
    length: lengthBytes ?? -1,
    date: warcField(head, 'warc-date') ?? '',
    digestOk: digests.isRight ?? null,
    error: problems.length === 0 ? null : problems.join('; '),
    uri,
    id: warcField(head, 'warc-record-id') ?? '',
    storedLength: storedBytes,
  }
}

function fieldProblems(head: WarcHead): string[] {
  const problems: string[] = mandatory.filter(name => warcField(head, name) === undefined).map(name => `${name} is missing`)
  const date = warcField(head, 'warc-date')
  const isDate = head.version.startsWith('ARC/') ? (text: string) => /^\d{14}$/.test(text) : isW3cDate
  if (date !== undefined && !isDate(date)) problems.push(`WARC-Date is no date: ${date.slice(0, 40)}`)
  return problems
}

/** A W3C date as WARC/1.1 §5.4 has it, fractions of any length. */
export function isW3cDate(text: string): boolean {
  return /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z)?)?)?$/.test(text) && !Number.isNaN(Date.parse(text))
}

interface DigestVerdict {
  /** Undefined if there was nothing to compare. */
  readonly isRight?: boolean
  readonly problems: readonly string[]
}

async function checkDigests(record: WarcRecord): Promise<DigestVerdict> {
  const blockDigest = warcField(record.head, 'warc-block-digest')
  const payloadDigest = payloadDigestOf(record)
  const hash = blockDigest === undefined ? undefined : hashFor(blockDigest)
  const kept: Buffer[] = []
  let length = 0
  for await (const chunk of record.chunks()) {
    hash?.update(chunk)
    length += chunk.length
    if (payloadDigest !== undefined && length <= largestPayloadBlockBytes) kept.push(chunk)
  }
  const verdicts: [name: string, isRight: boolean | undefined][] = []
  if (blockDigest !== undefined && hash !== undefined) {
    verdicts.push(['WARC-Block-Digest', isSpelling(blockDigest.slice(blockDigest.indexOf(':') + 1), hash.digest())])
  }
  if (payloadDigest !== undefined && length <= largestPayloadBlockBytes) {
    verdicts.push(['WARC-Payload-Digest', await isPayloadDigest(payloadDigest, record.head, Buffer.concat(kept))])
  }
  const known = verdicts.filter(([, isRight]) => isRight !== undefined)
  const problems = known.filter(([, isRight]) => isRight === false).map(([name]) => `${name} is not that of what is stored`)
  return known.length === 0 ? { problems } : { isRight: problems.length === 0, problems }
}

/** The payload of a revisit is that of another record, that of a segment goes on in the next one (WARC/1.1 §7). */
function payloadDigestOf({ type, head }: WarcRecord): string | undefined {
  return type === 'revisit' || isSegment(head) ? undefined : warcField(head, 'warc-payload-digest')
}

function hashFor(labelled: string): Hash | undefined {
  const algorithm = labelled
    .slice(0, Math.max(0, labelled.indexOf(':')))
    .toLowerCase()
    .replace('-', '')
  return isKnownAlgorithm(algorithm) ? createHash(algorithm) : undefined
}

/** Writers differ in what they call the payload: the body as stored, without its chunks, or decoded. */
async function isPayloadDigest(digest: string, head: WarcHead, block: Buffer): Promise<boolean | undefined> {
  if (!holdsHttp(head)) return isDigestOf(digest, block)
  const end = headEnd(block)
  const { fields } = parseHttpHead(block.subarray(0, end))
  const stored = block.subarray(end)
  const joined = unchunkedBody(fields, stored)
  const asStored = isDigestOf(digest, stored)
  if (asStored !== false) return asStored
  if (joined !== stored && isDigestOf(digest, joined) === true) return true
  const { payload } = await decodedBody(warcField(head, 'warc-target-uri') ?? '', fields, joined)
  return isDigestOf(digest, payload) === true
}
