import { CrawlError, messageOf } from '../errors/crawl-error.js'
import type { DecodedInput } from './decoded-input.js'
import { blockLengthOf, type WarcHead, warcField } from './warc-fields.js'

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

/** What differs between the formats behind a block. */
export interface Framing {
  /** Takes what stands between a block and the next record. @returns what is wrong with it */
  takeSeparator(input: DecodedInput): Promise<readonly string[]>
  /** Drops bytes up to where a record may begin, or to the end. @returns how many */
  resync(input: DecodedInput): Promise<number>
}

export interface RecordStart {
  readonly head: WarcHead
  readonly rawHead: Buffer
  readonly offsetBytes: number
  /** Whether it begins its gzip member. */
  readonly isAligned: boolean
}

/** A record whose head was taken from `input`. */
export class StreamedRecord implements WarcRecord {
  readonly kind = 'record'
  readonly head: WarcHead
  readonly rawHead: Buffer
  readonly type: string
  readonly uri: string
  readonly offsetBytes: number
  readonly lengthBytes: number | undefined
  readonly #faults: string[] = []
  #blockBytes = 0
  #end: RecordEnd | undefined

  constructor(
    readonly input: DecodedInput,
    readonly framing: Framing,
    { head, rawHead, offsetBytes, isAligned }: RecordStart,
  ) {
    this.head = head
    this.rawHead = rawHead
    this.offsetBytes = offsetBytes
    this.type = warcField(head, 'warc-type') ?? ''
    this.uri = warcField(head, 'warc-target-uri') ?? ''
    if (!isAligned) this.#faults.push('shares its gzip member with the record before it: each record must be a member of its own')
    try {
      this.lengthBytes = blockLengthOf(head)
    } catch (error) {
      this.#faults.push(messageOf(error))
    }
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const lengthBytes = this.lengthBytes ?? 0
    while (this.#end === undefined && this.#blockBytes < lengthBytes) {
      const chunk = (await this.input.peek(1)).subarray(0, lengthBytes - this.#blockBytes)
      if (chunk.length === 0) return
      this.input.skip(chunk.length)
      this.#blockBytes += chunk.length
      yield chunk
    }
  }

  async finish(): Promise<RecordEnd> {
    if (this.#end !== undefined) return this.#end
    for await (const _ of this.chunks());
    const { input, lengthBytes } = this
    if (lengthBytes === undefined) await this.framing.resync(input)
    else if (this.#blockBytes < lengthBytes) this.#faults.push(`Content-Length is ${lengthBytes}, but only ${this.#blockBytes} bytes are there`)
    else this.#faults.push(...(await this.framing.takeSeparator(input)))
    await input.peek(1)
    this.#faults.push(...memberFaults(input))
    this.#end = { blockBytes: this.#blockBytes, storedBytes: input.endBytes() - this.offsetBytes, faults: this.#faults }
    return this.#end
  }
}

/** What is wrong with the members that hold what was just read. */
export function memberFaults(input: DecodedInput): readonly string[] {
  return input.takeFaults(input.endBytes()).map(({ error }) => error.message)
}

/** Bytes that were taken and are no record, with what is wrong with the members that hold them. */
export function faultAt(input: DecodedInput, offsetBytes: number, error: CrawlError): WarcFault {
  const reasons = [error.message, ...memberFaults(input)]
  return { kind: 'fault', offsetBytes, error: new CrawlError('WARC_INVALID', reasons.join('; '), { cause: error }) }
}

/** Passes over empty lines and member borders. @returns whether anything follows */
export async function toNextRecord(input: DecodedInput): Promise<boolean> {
  for (;;) {
    const bytes = await input.peek(2)
    if (bytes.length === 0) {
      if (!(await input.advance())) return false
    } else if (bytes[0] === 10) input.skip(1)
    else if (bytes[0] === 13 && bytes[1] === 10) input.skip(2)
    else return true
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
