import type { WarcRecordType } from '../record/encoded-records.js'
import { readWarcFile } from './read-warc.js'
import { readBlock, type WarcRecord } from './streamed-record.js'
import { parseWarcHead, type WarcHead } from './warc-fields.js'

/** One record, whole. */
export interface WholeRecord {
  readonly type: string
  readonly uri: string
  readonly head: WarcHead
  /** The head's bytes with its empty line; lines end in CRLF, whatever they ended in. */
  readonly rawHead: Buffer
  readonly block: Buffer
  readonly offsetBytes: number
  /** What is wrong with how it is stored. */
  readonly faults: readonly string[]
}

/** A capture with the request and metadata records that stand beside it. */
export interface CaptureGroup {
  /** Response, revisit or resource. */
  readonly capture: WholeRecord
  /** All records in file order, the capture among them. */
  readonly records: readonly WholeRecord[]
}

export interface CaptureGroupOptions {
  /** Larger blocks are passed over. @defaultValue 128 MiB */
  readonly maxBlockBytes?: number
  readonly signal?: AbortSignal | undefined
  /** Told of what is left out: bytes that are no record, and records that are too large, torn before anything of them was stored, or of no capture. */
  readonly onLeftOut?: (what: { readonly offsetBytes: number; readonly reason: 'no_record' | 'too_large' | 'torn' | 'alone' }) => void
}

const captureTypes: readonly string[] = ['response', 'revisit', 'resource'] satisfies WarcRecordType[]

/**
 * Groups the records of a WARC file by the capture they belong to: neighbours of the same URI, of which only one is a capture and no two are of
 * the same type, in whatever order the writer put them. Memory: one group.
 */
export async function* readCaptureGroups(path: string, options: CaptureGroupOptions = {}): AsyncGenerator<CaptureGroup> {
  const { maxBlockBytes = 128 * 1024 * 1024, signal, onLeftOut } = options
  let open: WholeRecord[] = []
  const close = (): CaptureGroup | undefined => {
    const records = open
    open = []
    const capture = records.find(({ type }) => captureTypes.includes(type))
    if (capture !== undefined) return { capture, records }
    for (const { offsetBytes, type } of records) if (type !== 'warcinfo') onLeftOut?.({ offsetBytes, reason: 'alone' })
    return undefined
  }
  for await (const item of readWarcFile(path, signal)) {
    if (item.kind === 'fault') {
      onLeftOut?.({ offsetBytes: item.offsetBytes, reason: 'no_record' })
      continue
    }
    const record = await wholeRecord(item, maxBlockBytes)
    if (typeof record === 'string') {
      onLeftOut?.({ offsetBytes: item.offsetBytes, reason: record })
      continue
    }
    if (open.some(other => other.uri !== record.uri || classOf(other) === classOf(record))) {
      const group = close()
      if (group !== undefined) yield group
    }
    open.push(record)
  }
  const last = close()
  if (last !== undefined) yield last
}

function classOf({ type }: WholeRecord): string {
  return captureTypes.includes(type) ? 'capture' : type
}

async function wholeRecord(record: WarcRecord, maxBlockBytes: number): Promise<WholeRecord | 'too_large' | 'torn'> {
  const { type, uri, head, offsetBytes, lengthBytes } = record
  const rawHead = withCrLf(record.rawHead)
  if (lengthBytes === undefined) return 'torn'
  if (lengthBytes > maxBlockBytes) return 'too_large'
  const block = await readBlock(record)
  const { faults } = await record.finish()
  if (block.length === lengthBytes) return { type, uri, head, rawHead, block, offsetBytes, faults }
  if (block.length === 0) return 'torn'
  const cutHead = headOfCut(rawHead, block.length)
  return { type, uri, head: parseWarcHead(cutHead.toString().trimEnd()), rawHead: cutHead, block, offsetBytes, faults }
}

/** What some writers leave out, and strict readers want. */
function withCrLf(rawHead: Buffer): Buffer {
  const text = rawHead.toString('latin1')
  return /(?<!\r)\n/.test(text) ? Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1') : rawHead
}

/** The head of a record of which only a part is there, as that of a truncated record: the true length, and no digests, which were of the whole. */
function headOfCut(rawHead: Buffer, blockBytes: number): Buffer {
  const lines = rawHead.toString('latin1').trimEnd().split(/\r?\n/)
  const kept = lines.filter(line => !/^(?:content-length|warc-truncated|warc-(?:block|payload)-digest)\s*:/i.test(line))
  return Buffer.from(`${[...kept, 'WARC-Truncated: disconnect', `Content-Length: ${blockBytes}`].join('\r\n')}\r\n\r\n`, 'latin1')
}
