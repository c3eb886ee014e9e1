import { gunzipSync } from 'node:zlib'
import { CrawlError } from '../errors/crawl-error.js'
import type { WarcRecordType } from '../record/encoded-records.js'
import { type DecodeBodyOptions, decodedBody, packingOf, unchunkedBody } from './http-body.js'
import { type HttpField, headEnd, parseHttpHead, statusOf } from './http-head.js'
import { blockLengthOf, captureTimeMs, holdsHttp, isSegment, parseWarcHead, type WarcHead, warcField } from './warc-fields.js'

/** A page's answer as a WARC record holds it. */
export interface StoredContent {
  readonly type: WarcRecordType
  readonly url: string
  readonly dateMs: number
  readonly warc: WarcHead
  /** HTTP status; undefined where the record holds no HTTP answer. */
  readonly httpStatus?: number
  /** Response fields as received, in order. */
  readonly fields: readonly HttpField[]
  /** Status line and fields with the empty line; empty where there are none. */
  readonly head: Uint8Array
  /** As stored, without Transfer-Encoding. */
  readonly body: Uint8Array
  /** Without Content-Encoding; the same object as `body` where there was none. */
  readonly payload: Uint8Array
  /** Why something of the payload is missing. */
  readonly truncated?: string
}

/**
 * Reads one gzip member, or the record itself, that holds a response, revisit or resource record. Without I/O, so that a worker thread
 * can do it. @throws {CrawlError} WARC_INVALID if it does not unpack, is cut off or is no WARC record
 */
export async function decodeContent(member: Uint8Array, options?: DecodeBodyOptions): Promise<StoredContent> {
  const record = unpack(member)
  const headBytes = headEnd(record)
  if (headBytes === record.length) throw new CrawlError('WARC_INVALID', 'a record head without an end')
  const warc = parseWarcHead(record.toString('utf8', 0, headBytes).trimEnd())
  const lengthBytes = blockLengthOf(warc)
  const block = record.subarray(headBytes, headBytes + lengthBytes)
  if (block.length < lengthBytes) throw new CrawlError('WARC_INVALID', `a record of ${lengthBytes} bytes of which ${block.length} are there`)
  return contentOf(warc, block, options)
}

/** Takes the block of a record apart: head, body, payload. */
export async function contentOf(warc: WarcHead, block: Uint8Array, options?: DecodeBodyOptions): Promise<StoredContent> {
  const recordTruncated = warcField(warc, 'warc-truncated') ?? (isSegment(warc) ? 'length' : undefined)
  const common = {
    type: (warcField(warc, 'warc-type') ?? 'response') as WarcRecordType, // what others wrote there; callers compare it with the types they know
    url: warcField(warc, 'warc-target-uri') ?? '',
    dateMs: captureTimeMs(warc) ?? Number.NaN,
    warc,
    ...(recordTruncated === undefined ? {} : { truncated: recordTruncated }),
  }
  if (!holdsHttp(warc)) return { ...common, fields: [], head: new Uint8Array(), body: block, payload: block }
  const end = headEnd(block)
  const head = block.subarray(0, end)
  const { startLine, fields } = parseHttpHead(head)
  const httpStatus = statusOf(startLine)
  const body = unchunkedBody(fields, block.subarray(end))
  const decoded = packingOf(fields) === '' ? { payload: body } : await decodedBody(common.url, fields, body, options)
  const truncated = recordTruncated ?? decoded.truncated
  return {
    ...common,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    fields,
    head,
    body,
    payload: decoded.payload,
    ...(truncated === undefined ? {} : { truncated }),
  }
}

function unpack(member: Uint8Array): Buffer {
  if (member[0] !== 0x1f || member[1] !== 0x8b) return Buffer.from(member.buffer, member.byteOffset, member.byteLength)
  try {
    return gunzipSync(member)
  } catch (cause) {
    throw new CrawlError('WARC_INVALID', 'a gzip member that does not unpack', { cause })
  }
}
