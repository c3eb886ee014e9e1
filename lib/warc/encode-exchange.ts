import { type CaptureFields, type EncodedRecord, type EncodedRecords, joinEncodedRecords, type WarcRecordType } from '../record/encoded-records.js'
import type { HttpExchange } from '../record/exchange.js'
import { sha1Base32 } from './base32.js'
import { gzipRecord } from './gzip-member.js'
import { fieldValue, mediaTypeOf, parseHttpHead, statusOf } from './http-head.js'
import { type EarlierCapture, revisitFields } from './revisit-fields.js'
import { storedRequestHead, storedResponseHead } from './stored-head.js'
import { toSurt } from './surt.js'
import { formatWarcHead, newRecordId, timestamp14, type WarcField, warcDate } from './warc-header.js'

export interface EncodeOptions {
  /** zlib's, 1 to 9. @defaultValue 3 */
  readonly gzipLevel?: number
  /** Whether the request is kept too. @defaultValue true */
  readonly keepsRequest?: boolean
  /** An earlier capture with the same payload: a revisit record without a body is written instead of a response. */
  readonly revisitOf?: EarlierCapture
  /** Fields of a metadata record (application/warc-fields) beside the response; none is written without them. */
  readonly metadata?: Readonly<Record<string, string>>
}

/**
 * Writes one exchange as WARC/1.1 records: request, metadata if asked for, and last the response, a revisit, or, for an answer without
 * a head (HTTP/0.9), a resource. Synchronous and without I/O, so that a worker thread can do it.
 */
export function encodeExchange(exchange: HttpExchange, options: EncodeOptions = {}): EncodedRecords {
  const { gzipLevel = 3, keepsRequest = true, metadata } = options
  const builder = new RecordBuilder(exchange, gzipLevel)
  const answerId = newRecordId()
  if (keepsRequest && exchange.requestHead.length > 0) {
    const fields: WarcField[] = [['WARC-Concurrent-To', answerId]]
    builder.add('request', newRecordId(), fields, 'application/http;msgtype=request', [storedRequestHead(exchange)])
  }
  if (metadata !== undefined) {
    const text = Object.entries(metadata).map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}\r\n`)
    builder.add('metadata', newRecordId(), [['WARC-Concurrent-To', answerId]], 'application/warc-fields', [Buffer.from(text.join(''))])
  }
  addAnswer(builder, answerId, exchange, options)
  return builder.finish()
}

/** The exchanges of one page, in order, as one run of records. */
export function encodeExchanges(exchanges: readonly HttpExchange[], options: EncodeOptions = {}): EncodedRecords {
  const { revisitOf, metadata, ...common } = options
  const last = exchanges.length - 1
  return joinEncodedRecords(exchanges.map((exchange, index) => encodeExchange(exchange, index === last ? options : common)))
}

function addAnswer(builder: RecordBuilder, id: string, exchange: HttpExchange, options: EncodeOptions): void {
  const isBare = exchange.responseHead.length === 0
  const head = isBare ? Buffer.alloc(0) : storedResponseHead(exchange)
  const { startLine, fields } = parseHttpHead(head)
  const status = statusOf(startLine)
  const earlier = options.revisitOf
  const isRevisit = earlier !== undefined && !isBare
  const digest = isRevisit && status === 304 ? earlier.payloadDigest : sha1Base32(exchange.body)
  const headers: WarcField[] = [...answerFields(exchange)]
  if (digest !== undefined) headers.push(['WARC-Payload-Digest', `sha1:${digest}`])
  if (isRevisit) headers.push(...revisitFields(earlier, status))
  if (exchange.truncated !== undefined && !isRevisit) headers.push(['WARC-Truncated', exchange.truncated])
  const type = isRevisit ? 'revisit' : isBare ? 'resource' : 'response'
  const contentType = isBare ? 'application/octet-stream' : 'application/http;msgtype=response'
  const mime = isRevisit ? 'warc/revisit' : mediaTypeOf(isBare ? contentType : fieldValue(fields, 'content-type')) || 'unk'
  const capture: CaptureFields = {
    urlKey: toSurt(exchange.url),
    timestamp: timestamp14(exchange.startMs),
    url: exchange.url,
    mime,
    status: status === undefined ? '' : String(status),
    digest: digest ?? '-',
  }
  builder.add(type, id, headers, contentType, isRevisit ? [head] : [head, exchange.body], capture)
}

function answerFields({ address, protocol }: HttpExchange): WarcField[] {
  const fields: WarcField[] = []
  if (address !== undefined) fields.push(['WARC-IP-Address', address])
  fields.push(['WARC-Protocol', protocol])
  return fields
}

class RecordBuilder {
  readonly #members: Buffer[] = []
  readonly #records: EncodedRecord[] = []
  #offsetBytes = 0

  constructor(
    readonly exchange: HttpExchange,
    readonly gzipLevel: number,
  ) {}

  add(
    type: WarcRecordType,
    id: string,
    more: readonly WarcField[],
    contentType: string,
    block: readonly Uint8Array[],
    capture?: CaptureFields,
  ): void {
    const { url, startMs } = this.exchange
    const fields: WarcField[] = [
      ['WARC-Type', type],
      ['WARC-Record-ID', id],
      ['WARC-Date', warcDate(startMs)],
      ['WARC-Target-URI', url],
      ...more,
      ['WARC-Block-Digest', `sha1:${sha1Base32(...block)}`],
      ['Content-Type', contentType],
    ]
    const blockBytes = block.reduce((sum, part) => sum + part.length, 0)
    const member = gzipRecord(formatWarcHead(fields, blockBytes), block, this.gzipLevel)
    this.#members.push(member)
    this.#records.push({
      type,
      uri: url,
      offsetBytes: this.#offsetBytes,
      lengthBytes: member.length,
      ...(capture === undefined ? {} : { capture }),
    })
    this.#offsetBytes += member.length
  }

  finish(): EncodedRecords {
    return { bytes: Buffer.concat(this.#members), records: this.#records }
  }
}
