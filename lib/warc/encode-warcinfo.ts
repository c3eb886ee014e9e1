import { sha1Base32 } from './base32.js'
import { gzipRecord } from './gzip-member.js'
import { formatWarcHead, newRecordId, warcDate } from './warc-header.js'

/** What the first record of each file says of all that follow. */
export interface WarcinfoOptions {
  readonly filename: string
  readonly timeMs: number
  /** Fields of the block: software, operator, hostname, robots, http-header-user-agent, isPartOf, description, … */
  readonly fields?: Readonly<Record<string, string>>
}

/** A warcinfo record as a gzip member (WARC/1.1 §6.2). */
export function encodeWarcinfo({ filename, timeMs, fields = {} }: WarcinfoOptions): Uint8Array {
  const all = {
    ...fields,
    format: 'WARC File Format 1.1',
    conformsTo: 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}\r\n`)
  const block = Buffer.from(lines.join(''))
  const head = formatWarcHead(
    [
      ['WARC-Type', 'warcinfo'],
      ['WARC-Record-ID', newRecordId()],
      ['WARC-Date', warcDate(timeMs)],
      ['WARC-Filename', filename],
      ['WARC-Block-Digest', `sha1:${sha1Base32(block)}`],
      ['Content-Type', 'application/warc-fields'],
    ],
    block.length,
  )
  return gzipRecord(head, [block], 6)
}
