import { createReadStream } from 'node:fs'
import { CrawlError, messageOf, systemCodeOf } from '../errors/crawl-error.js'
import { ByteCursor } from './byte-cursor.js'
import { DecodedInput } from './decoded-input.js'
import { blockLengthOf, parseWarcHead, type WarcHead, warcField } from './warc-fields.js'

/** One record on its way by. Its block can be read once, before the next item is asked for; what is not read is passed over. */
export interface WarcRecord {
  readonly kind: 'record'
  readonly head: WarcHead
  /** The head's bytes with its empty line. */
  readonly rawHead: Buffer
  /** As it stands in the record; empty if missing. */
  readonly type: string
  readonly uri: string
  /** Where the record, or the gzip member that holds it, begins in the file. */
  readonly offsetBytes: number
  /** Content-Length; undefined if it is missing or no number. */
  readonly lengthBytes: number | undefined
  chunks(): AsyncGenerator<Buffer>
  /** Passes over what is left of the record. */
  finish(): Promise<RecordEnd>
}

export interface RecordEnd {
  /** How much of the block was there. */
  readonly blockBytes: number
  /** What the record takes up in the file, packed or not, separators included. */
  readonly storedBytes: number
  /** What is wrong with how it is stored. */
  readonly faults: readonly string[]
}

/** Bytes that are no record. */
export interface WarcFault {
  readonly kind: 'fault'
  readonly offsetBytes: number
  readonly error: CrawlError
}

export type WarcItem = WarcRecord | WarcFault

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
 * Reads WARC/1.0 and 1.1, plain or as gzip members, however the bytes are cut into chunks. What is malformed is reported and reading goes
 * on at the next place where a record begins. An ARC file is refused with one fault. Memory: one head and a few chunks.
 */
export async function* readWarc(source: AsyncIterable<Uint8Array>): AsyncGenerator<WarcItem> {
  const input = await DecodedInput.open(new ByteCursor(source))
  try {
    for (;;) {
      const isMore = await toNextRecord(input)
      const before = isMore ? input.origin(input.position).offsetBytes : undefined
      for (const { offsetBytes, error } of input.takeFaults(before)) yield { kind: 'fault', offsetBytes, error }
      if (!isMore) return
      const item = await readItem(input)
      yield item
      if (item.kind === 'record') await item.finish()
      else if (isArcFault(item)) return
    }
  } finally {
    await input.close()
  }
}

/** The block of a record, at most `maxBytes` of it. */
export async function readBlock(record: WarcRecord, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const chunk of record.chunks()) {
    pieces.push(chunk.subarray(0, Math.max(0, maxBytes - length)))
    length += chunk.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(pieces)
}

/** Passes over empty lines and member borders. @returns whether anything follows */
async function toNextRecord(input: DecodedInput): Promise<boolean> {
  for (;;) {
    const bytes = await input.peek(2)
    if (bytes.length === 0) {
      if (!(await input.advance())) return false
    } else if (bytes[0] === 10) input.skip(1)
    else if (bytes[0] === 13 && bytes[1] === 10) input.skip(2)
    else return true
  }
}

async function readItem(input: DecodedInput): Promise<WarcItem> {
  const start = input.position
  const { offsetBytes, isAligned } = input.origin(start)
  try {
    const { text, lengthBytes } = await peekHead(input)
    const head = parseWarcHead(text)
    const rawHead = Buffer.from((await input.peek(lengthBytes)).subarray(0, lengthBytes))
    input.skip(lengthBytes)
    return recordOf(input, { head, rawHead, offsetBytes, isAligned })
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error
    await resync(input)
    const reasons = [error.message, ...memberFaults(input)]
    return { kind: 'fault', offsetBytes, error: new CrawlError('WARC_INVALID', reasons.join('; '), { cause: error }) }
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

interface RecordStart {
  readonly head: WarcHead
  readonly rawHead: Buffer
  readonly offsetBytes: number
  readonly isAligned: boolean
}

function recordOf(input: DecodedInput, { head, rawHead, offsetBytes, isAligned }: RecordStart): WarcRecord {
  const faults: string[] = []
  if (!isAligned) faults.push('shares its gzip member with the record before it: each record must be a member of its own')
  let lengthBytes: number | undefined
  try {
    lengthBytes = blockLengthOf(head)
  } catch (error) {
    faults.push(messageOf(error))
  }
  let blockBytes = 0
  let end: RecordEnd | undefined
  async function* chunks(): AsyncGenerator<Buffer> {
    while (end === undefined && blockBytes < (lengthBytes ?? 0)) {
      const chunk = (await input.peek(1)).subarray(0, (lengthBytes ?? 0) - blockBytes)
      if (chunk.length === 0) return
      input.skip(chunk.length)
      blockBytes += chunk.length
      yield chunk
    }
  }
  async function finish(): Promise<RecordEnd> {
    if (end !== undefined) return end
    for await (const _ of chunks());
    if (lengthBytes !== undefined && blockBytes < lengthBytes) faults.push(`Content-Length is ${lengthBytes}, but only ${blockBytes} bytes are there`)
    else faults.push(...(await takeSeparator(input)))
    if (lengthBytes === undefined) await resync(input)
    await input.peek(1)
    faults.push(...memberFaults(input))
    end = { blockBytes, storedBytes: input.endBytes() - offsetBytes, faults }
    return end
  }
  const type = warcField(head, 'warc-type') ?? ''
  return { kind: 'record', head, rawHead, type, uri: warcField(head, 'warc-target-uri') ?? '', offsetBytes, lengthBytes, chunks, finish }
}

/** What is wrong with the members that hold what was just read. */
function memberFaults(input: DecodedInput): readonly string[] {
  return input.takeFaults(input.endBytes()).map(({ error }) => error.message)
}

/** Takes the two line ends behind a block; bare LF is let pass, as by other readers. */
async function takeSeparator(input: DecodedInput): Promise<readonly string[]> {
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
  const dropped = rest.length === 0 || rest.toString('latin1', 0, 5) === 'WARC/' ? 0 : await resync(input)
  return [dropped > 0 ? `${dropped} bytes behind the block belong to no record` : 'the two line ends behind the block are missing']
}

/** Drops bytes up to the next line that begins with `WARC/` and a digit, or to the end. @returns how many */
async function resync(input: DecodedInput): Promise<number> {
  const start = input.position
  const overlapBytes = 8
  for (;;) {
    const bytes = await input.peek(resyncBytes)
    const at = bytes.toString('latin1').search(/\nWARC\/\d/)
    const isLast = bytes.length < resyncBytes
    input.skip(at >= 0 ? at + 1 : isLast ? bytes.length : bytes.length - overlapBytes)
    if (at >= 0 || isLast) return input.position - start
  }
}

function isArcFault({ error }: WarcFault): boolean {
  return error.message.startsWith('an ARC file')
}
