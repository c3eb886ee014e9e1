import { CrawlError } from '../errors/crawl-error.js'

/** A line of input without its end, as text. */
export interface Line {
  /** 1 for the first. */
  readonly number: number
  readonly text: string
  /** Set when the line is not to be used: longer than the bound (then `text` is its start), or not UTF-8. */
  readonly fault?: CrawlError
}

export interface SplitLinesOptions {
  /** Longest line kept. @defaultValue 16 MiB */
  readonly maxLineBytes?: number
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Splits bytes into lines at LF or CRLF, however they are cut into chunks; a byte order mark at the start is dropped, the last line needs no end.
 * A line over the bound or with bytes that are not UTF-8 comes with a `fault` instead of ending the stream. Memory: one line and one chunk.
 */
export function splitLines({ maxLineBytes = 16 * 1024 * 1024 }: SplitLinesOptions = {}) {
  return async function* lines(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Line> {
    let kept: Buffer[] = []
    let keptBytes = 0
    let lengthBytes = 0
    let number = 0
    const keep = (piece: Buffer): void => {
      lengthBytes += piece.length
      const room = maxLineBytes + 1 - keptBytes
      if (room <= 0) return
      const part = piece.length > room ? piece.subarray(0, room) : piece
      kept.push(part)
      keptBytes += part.length
    }
    const take = (): Line => {
      const line = toLine(kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept), ++number, lengthBytes, maxLineBytes)
      kept = []
      keptBytes = 0
      lengthBytes = 0
      return line
    }
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      let start = 0
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        keep(bytes.subarray(start, end))
        yield take()
        start = end + 1
      }
      if (start < bytes.length) keep(bytes.subarray(start))
    }
    if (lengthBytes > 0) yield take() // reached only when the source ended well
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function toLine(raw: Buffer, number: number, lengthBytes: number, maxLineBytes: number): Line {
  let bytes = raw
  if (number === 1 && bytes.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3)
  if (bytes.length > 0 && bytes[bytes.length - 1] === carriageReturn) bytes = bytes.subarray(0, -1)
  if (bytes.length > maxLineBytes) {
    const fault = new CrawlError('LINE_TOO_LONG', `line ${number}: ${lengthBytes} bytes, at most ${maxLineBytes} are read`)
    return { number, text: bytes.subarray(0, 200).toString(), fault }
  }
  try {
    return { number, text: strictUtf8.decode(bytes) }
  } catch (cause) {
    return { number, text: bytes.toString(), fault: new CrawlError('LINE_INVALID', `line ${number}: not UTF-8`, { cause }) }
  }
}
