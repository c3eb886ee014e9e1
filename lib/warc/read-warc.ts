import { createReadStream } from 'node:fs'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'
import { ByteCursor } from '../stream/unpack/byte-cursor.js'
import { isArcStart, readArcRecord } from './arc-record.js'
import { DecodedInput } from './decoded-input.js'
import { type Framing, faultAt, StreamedRecord, toNextRecord, type WarcItem } from './streamed-record.js'
import { parseWarcHead } from './warc-fields.js'

const largestHeadBytes = 1024 * 1024
const resyncBytes = 64 * 1024

/** Reads a WARC file, packed or not. @throws {CrawlError} IO_FAILED if it cannot be read */
export async function* readWarcFile(path: string, signal?: AbortSignal): AsyncGenerator<WarcItem> {
  try {
    yield* readWarc(createReadStream(path, { highWaterMark: 256 * 1024, ...(signal === undefined ? {} : { signal }) }))
  } catch (cause) {
    const code = systemCodeOf(cause)
    if (cause instanceof CrawlError || code === undefined || code === 'ABORT_ERR') throw cause
    throw new CrawlError('IO_FAILED', `${path} cannot be read (${code})`, { cause })
  }
}

/**
 * Reads WARC/1.0 and 1.1, plain or as gzip members, however the bytes are cut into chunks; also ARC 1.0, whose records are given as if they were
 * WARC's. What is malformed is reported and reading goes on at the next place where a record begins. Memory: one head and a few chunks.
 */
export async function* readWarc(source: AsyncIterable<Uint8Array>): AsyncGenerator<WarcItem> {
  const input = await DecodedInput.open(new ByteCursor(source))
  try {
    const readItem = isArcStart(await input.peek(64)) ? readArcRecord : readWarcRecord
    for (;;) {
      const isMore = await toNextRecord(input)
      const before = isMore ? input.origin(input.position).offsetBytes : undefined
      for (const { offsetBytes, error } of input.takeFaults(before)) yield { kind: 'fault', offsetBytes, error }
      if (!isMore) return
      const item = await readItem(input)
      yield item
      if (item.kind === 'record') await item.finish()
    }
  } finally {
    await input.close()
  }
}

async function readWarcRecord(input: DecodedInput): Promise<WarcItem> {
  const { offsetBytes, isAligned } = input.origin(input.position)
  try {
    const { text, lengthBytes } = await peekHead(input)
    const head = parseWarcHead(text)
    const rawHead = Buffer.from((await input.peek(lengthBytes)).subarray(0, lengthBytes))
    input.skip(lengthBytes)
    return new StreamedRecord(input, warcFraming, { head, rawHead, offsetBytes, isAligned })
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error
    await warcFraming.resync(input)
    return faultAt(input, offsetBytes, error)
  }
}

/** The head of the record that begins here, without its empty line, and its length with it. */
async function peekHead(input: DecodedInput): Promise<{ text: string; lengthBytes: number }> {
  const lead = await input.peek(64)
  const line = lead.toString('latin1', 0, Math.min(64, lead.length)).split(/\r?\n/, 1)[0] ?? ''
  if (!/^WARC\/\d/.test(line)) parseWarcHead(line) // throws, and says what it is instead
  for (let wanted = 1024; ; wanted *= 4) {
    const bytes = await input.peek(wanted)
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
      const isCrLf = bytes[at + 1] === 13 && bytes[at + 2] === 10
      if (isCrLf || bytes[at + 1] === 10) return { text: bytes.toString('utf8', 0, at).replace(/\r$/, ''), lengthBytes: at + (isCrLf ? 3 : 2) }
    }
    if (bytes.length < wanted) throw new CrawlError('WARC_INVALID', 'a record head that is cut off')
    if (wanted >= largestHeadBytes) throw new CrawlError('WARC_INVALID', `a record head of more than ${largestHeadBytes} bytes`)
  }
}

const warcFraming: Framing = {
  /** Two line ends; bare LF is let pass, as by other readers. */
  async takeSeparator(input) {
    let lines = 0
    for (; lines < 2; lines++) {
      const bytes = await input.peek(2)
      if (bytes[0] === 10) input.skip(1)
      else if (bytes[0] === 13 && bytes[1] === 10) input.skip(2)
      else break
    }
    if (lines === 2) return []
    const rest = await input.peek(5)
    if (rest.length === 0 && input.isPacked) return [] // where the member ends whole, nothing is lost
    const dropped = rest.length === 0 || rest.toString('latin1', 0, 5) === 'WARC/' ? 0 : await warcFraming.resync(input)
    return [dropped > 0 ? `${dropped} bytes behind the block belong to no record` : 'the two line ends behind the block are missing']
  },

  /** To the next line that begins with `WARC/` and a digit. */
  async resync(input) {
    const start = input.position
    const overlapBytes = 8
    for (;;) {
      const bytes = await input.peek(resyncBytes)
      const at = bytes.toString('latin1').search(/\nWARC\/\d/)
      const isLast = bytes.length < resyncBytes
      input.skip(at >= 0 ? at + 1 : isLast ? bytes.length : bytes.length - overlapBytes)
      if (at >= 0 || isLast) return input.position - start
    }
  },
}
