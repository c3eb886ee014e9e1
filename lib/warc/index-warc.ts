import type { CaptureFields } from '../record/encoded-records.js'
import { fieldValue, headEnd, mediaTypeOf, parseHttpHead, statusOf } from './http-head.js'
import { readWarcFile } from './read-warc.js'
import { readBlock } from './streamed-record.js'
import { toSurt } from './surt.js'
import { captureTimeMs, holdsHttp, type WarcHead, warcField } from './warc-fields.js'
import { timestamp14 } from './warc-header.js'

/** A capture and where its record stands. */
export interface IndexedCapture {
  readonly capture: CaptureFields
  readonly offsetBytes: number
  readonly lengthBytes: number
}

const headBytes = 64 * 1024

/** The captures of a WARC file (response, revisit, resource) in the order they stand there; malformed records are passed over. */
export async function* indexWarc(path: string): AsyncGenerator<IndexedCapture> {
  for await (const item of readWarcFile(path)) {
    if (item.kind === 'fault') continue
    if (item.type !== 'response' && item.type !== 'revisit' && item.type !== 'resource') continue
    const lead = await readBlock(item, headBytes)
    const { storedBytes } = await item.finish()
    const capture = captureOf(item.head, lead)
    if (capture !== undefined) yield { capture, offsetBytes: item.offsetBytes, lengthBytes: storedBytes }
  }
}

/** What CDXJ says of a record, from its head and the start of its block; undefined without URI or date. */
export function captureOf(head: WarcHead, block: Buffer): CaptureFields | undefined {
  const url = warcField(head, 'warc-target-uri')
  const timeMs = captureTimeMs(head)
  if (url === undefined || timeMs === undefined) return undefined
  const contentType = warcField(head, 'content-type')
  const isHttp = holdsHttp(head)
  const { startLine, fields } = isHttp ? parseHttpHead(block.subarray(0, headEnd(block))) : { startLine: '', fields: [] }
  const mime = isHttp ? fieldValue(fields, 'content-type') : contentType
  const digest = warcField(head, 'warc-payload-digest') ?? '-'
  return {
    urlKey: toSurt(url),
    timestamp: timestamp14(timeMs),
    url,
    mime: warcField(head, 'warc-type') === 'revisit' ? 'warc/revisit' : mediaTypeOf(mime) || 'unk',
    status: String(statusOf(startLine) ?? ''),
    digest: digest.startsWith('sha1:') ? digest.slice(5) : digest,
  }
}
