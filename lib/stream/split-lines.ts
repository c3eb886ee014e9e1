import { isAscii, isUtf8 } from 'node:buffer'
import { CrawlError } from '../errors/crawl-error.js'

/** A line of input without its end, as text. */
export interface Line {
  /** 1 for the first. */
  readonly number: number
  readonly text: string
  /** Set when the line is not to be used: longer than the bound (then `text` is its start), or not UTF-8. */
  readonly fault?: CrawlError
}

/** Bounds of the reader. */
export interface SplitLinesOptions {
  /** Longest line kept, without its end. @defaultValue 16 MiB */
  readonly maxLineBytes?: number
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Splits bytes into lines at LF or CRLF, however they are cut into chunks; a byte order mark at the start is dropped, the last line needs no end.
 * A line over the bound or with bytes that are not UTF-8 comes with a `fault` instead of ending the stream. Memory: one line and one chunk.
 */
export function splitLines(options?: SplitLinesOptions) {
  const batchesOf = splitLineBatches(options)
  return async function* lines(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Line> {
    for await (const batch of batchesOf(source)) yield* batch
  }
}

/** The same with all lines of a chunk at once: to wait for each costs more than to split it off. */
export function splitLineBatches({ maxLineBytes = 16 * 1024 * 1024 }: SplitLinesOptions = {}) {
  return async function* batches(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<readonly Line[]> {
    const begun = new LineStart(maxLineBytes + byteOrderMark.length + 1)
    let number = 0
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      const lines = number > 0 && begun.lengthBytes === 0 ? plainLines(bytes, number, maxLineBytes) : []
      number += lines.length
      let start = lines.length > 0 ? bytes.lastIndexOf(lineFeed) + 1 : 0
      for (let end = bytes.indexOf(lineFeed, start); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        const piece = bytes.subarray(start, end)
        start = end + 1
        if (begun.lengthBytes === 0) lines.push(toLine(piece, ++number, piece.length, maxLineBytes))
        else {
          begun.add(piece)
          lines.push(toLine(begun.bytes(), ++number, begun.lengthBytes, maxLineBytes))
          begun.clear()
        }
      }
      if (start < bytes.length) begun.add(bytes.subarray(start))
      if (lines.length > 0) yield lines
    }
    if (begun.lengthBytes > 0) yield [toLine(begun.bytes(), ++number, begun.lengthBytes, maxLineBytes)] // reached only when the source ended well
  }
}

/**
 * The whole lines of a chunk, cut from one text: a Buffer for each line costs more than all else. None if some byte is not ASCII, a line may be
 * over the bound, or no line ends here: then the slow way is taken.
 */
function plainLines(bytes: Buffer, numberBefore: number, maxLineBytes: number): Line[] {
  const whole = bytes.subarray(0, bytes.lastIndexOf(lineFeed) + 1)
  if (whole.length === 0 || whole.length > maxLineBytes || !isAscii(whole)) return []
  const text = whole.toString('latin1')
  const lines: Line[] = []
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start)
    const end = feed > start && text.charCodeAt(feed - 1) === carriageReturn ? feed - 1 : feed
    lines.push({ number: numberBefore + lines.length + 1, text: text.slice(start, end) })
    start = feed + 1
  }
  return lines
}

/** The part of a line that earlier chunks held: grows by doubling, so that a line that comes byte by byte costs no more than its length. */
class LineStart {
  #held = Buffer.alloc(0)
  #heldBytes = 0
  #lengthBytes = 0

  /** @param maxHeldBytes what comes after is counted, not kept */
  constructor(private readonly maxHeldBytes: number) {}

  /** Length of all that was added. */
  get lengthBytes(): number {
    return this.#lengthBytes
  }

  add(piece: Buffer): void {
    this.#lengthBytes += piece.length
    const part = piece.subarray(0, this.maxHeldBytes - this.#heldBytes)
    const neededBytes = this.#heldBytes + part.length
    if (neededBytes > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.maxHeldBytes, Math.max(neededBytes, 2 * this.#held.length)))
      this.bytes().copy(grown)
      this.#held = grown
    }
    part.copy(this.#held, this.#heldBytes)
    this.#heldBytes = neededBytes
  }

  bytes(): Buffer {
    return this.#held.subarray(0, this.#heldBytes)
  }

  clear(): void {
    this.#held = Buffer.alloc(0)
    this.#heldBytes = 0
    this.#lengthBytes = 0
  }
}

/** `raw` is the line's start; `lengthBytes` says how long the line was. */
function toLine(raw: Buffer, number: number, lengthBytes: number, maxLineBytes: number): Line {
  const start = number === 1 && raw.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
  const end = raw.length > start && raw[raw.length - 1] === carriageReturn ? raw.length - 1 : raw.length
  const bytes = raw.subarray(start, end)
  if (lengthBytes > raw.length || bytes.length > maxLineBytes) {
    const fault = new CrawlError('LINE_TOO_LONG', `line ${number}: ${lengthBytes} bytes, at most ${maxLineBytes} are read`)
    return { number, text: bytes.subarray(0, Math.min(200, maxLineBytes)).toString(), fault }
  }
  if (isUtf8(bytes)) return { number, text: bytes.toString() }
  return { number, text: bytes.toString(), fault: new CrawlError('LINE_INVALID', `line ${number}: not UTF-8`) }
}
