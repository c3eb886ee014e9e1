import { CrawlError } from '../errors/crawl-error.js'
import type { DecodedInput } from './decoded-input.js'
import { type Framing, faultAt, StreamedRecord, type WarcItem } from './streamed-record.js'
import { formatWarcHead, newRecordId, type WarcField } from './warc-header.js'

const longestLineBytes = 64 * 1024
/** URL, IP address, date, media type, length; the URL may hold spaces. Of version 2 the last five fields stand before the length. */
const recordLine = /^(\S.*) ([0-9a-fA-F.:]+) (\d{4,20}) (\S.*?) ([^ ]+)$/

/** Whether a file that begins so is ARC. */
export function isArcStart(start: Buffer): boolean {
  return start.toString('latin1', 0, 11) === 'filedesc://'
}

/** Takes the head of an ARC record and gives it the form of a WARC record; the file's first one has the type `arc_header`. */
export async function readArcRecord(input: DecodedInput): Promise<WarcItem> {
  const { offsetBytes, isAligned } = input.origin(input.position)
  const line = await peekLine(input)
  const fields = line === undefined ? undefined : recordLine.exec(line.text)
  if (line === undefined || fields === null || fields === undefined) {
    await arcFraming.resync(input)
    return faultAt(input, offsetBytes, new CrawlError('WARC_INVALID', `no ARC record begins here: ${JSON.stringify(line?.text.slice(0, 40) ?? '')}`))
  }
  input.skip(line.lengthBytes)
  const [, url = '', address = '', date = '', mediaType = '', length = ''] = fields
  const isHeader = url.startsWith('filedesc://')
  if (isHeader && !/^\d+$/.test(length)) for (let lines = 0; lines < 2; lines++) input.skip((await peekLine(input))?.lengthBytes ?? 0)
  const contentType = /^https?:/i.test(url) ? 'application/http;msgtype=response' : mediaType
  const head = {
    version: 'ARC/1.0',
    fields: [
      ['WARC-Type', isHeader ? 'arc_header' : 'response'],
      ['WARC-Record-ID', newRecordId()],
      ['WARC-Date', date],
      ['WARC-Target-URI', url],
      ['WARC-IP-Address', address],
      ['Content-Type', contentType],
      ['Content-Length', length],
    ] satisfies WarcField[],
  }
  return new StreamedRecord(input, arcFraming, { head, rawHead: warcHeadOf(head.fields, date, length), offsetBytes, isAligned })
}

/** The head that the record has as a WARC record. */
function warcHeadOf(fields: readonly WarcField[], date: string, length: string): Buffer {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d).*$/, '$1-$2-$3T$4:$5:$6Z')
  const kept = fields.filter(([name]) => name !== 'Content-Length').map(([name, value]): WarcField => [name, name === 'WARC-Date' ? iso : value])
  return formatWarcHead(kept, Number(length))
}

const arcFraming: Framing = {
  /** One line end. */
  async takeSeparator(input) {
    const bytes = await input.peek(2)
    if (bytes.length === 0) return []
    if (bytes[0] === 10) input.skip(1)
    else if (bytes[0] === 13 && bytes[1] === 10) input.skip(2)
    else {
      const dropped = await arcFraming.resync(input)
      return dropped > 0 ? [`${dropped} bytes behind the block belong to no record`] : []
    }
    return []
  },

  /** To the next line that has the fields of a record. */
  async resync(input) {
    const start = input.position
    for (;;) {
      const line = await peekLine(input)
      if (line === undefined || (input.position > start && recordLine.test(line.text))) return input.position - start
      input.skip(line.lengthBytes)
    }
  },
}

/** The line that begins here, of bounded length; undefined at the end. */
async function peekLine(input: DecodedInput): Promise<{ text: string; lengthBytes: number } | undefined> {
  for (let wanted = 1024; ; wanted *= 8) {
    const bytes = await input.peek(wanted)
    const end = bytes.subarray(0, longestLineBytes).indexOf(10)
    if (end >= 0) return { text: bytes.toString('utf8', 0, end).replace(/\r$/, ''), lengthBytes: end + 1 }
    if (bytes.length >= longestLineBytes) return { text: '', lengthBytes: longestLineBytes }
    if (bytes.length < wanted) return bytes.length === 0 ? undefined : { text: bytes.toString('utf8'), lengthBytes: bytes.length }
  }
}
