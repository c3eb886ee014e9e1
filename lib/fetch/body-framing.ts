import { headerValues } from './header-list.js'
import type { ResponseHead } from './response-head.js'

/** Takes the bytes behind a head and says which of them are body, and when the body is whole. For answers that a strict parser may refuse. */
export interface BodyFraming {
  /** Hands over what came; `onBody` is called with body bytes. True when the body is complete. @throws {FramingError} */
  take(chunk: Buffer): boolean
  /** Whether the end of the connection at this point is a complete body. */
  readonly endsWithConnection: boolean
  /** Whether a strict parser would have read all that came in the same way. */
  readonly isStrict: boolean
}

/** The body cannot be told apart from what is around it. */
export class FramingError extends Error {
  override readonly name = 'FramingError'
}

/** How the body of this answer is framed (RFC 9112 §6.3, read as widely as can be). */
export function framingOf(head: ResponseHead, onBody: (bytes: Buffer) => void): BodyFraming {
  if (head.status === 204 || head.status === 304 || head.status < 200) return new CountedBody(0, 0, onBody)
  const coding = headerValues(head.headers, 'transfer-encoding').join(',').toLowerCase()
  if (isChunked.test(coding)) return new ChunkedBody(onBody)
  const lengths = headerValues(head.headers, 'content-length').flatMap(value => value.split(',').map(part => part.trim()))
  const valid = lengths.filter(length => /^\d{1,15}$/.test(length)).map(Number)
  if (valid.length === 0 || coding !== '') return new OpenBody(onBody)
  return new CountedBody(Math.min(...valid), Math.max(...valid), onBody)
}

const isChunked = /(^|[,\s])chunked\b/

/** Up to the end of the connection. */
class OpenBody implements BodyFraming {
  readonly endsWithConnection = true
  readonly isStrict = false
  constructor(readonly onBody: (bytes: Buffer) => void) {}
  take(chunk: Buffer): boolean {
    this.onBody(chunk)
    return false
  }
}

/** By Content-Length. Where a server gave two, the larger is read, and the smaller is enough. */
class CountedBody implements BodyFraming {
  readonly isStrict = false
  #takenBytes = 0
  constructor(
    readonly leastBytes: number,
    readonly mostBytes: number,
    readonly onBody: (bytes: Buffer) => void,
  ) {}
  get endsWithConnection(): boolean {
    return this.#takenBytes >= this.leastBytes
  }
  take(chunk: Buffer): boolean {
    const part = chunk.subarray(0, this.mostBytes - this.#takenBytes)
    this.#takenBytes += part.length
    if (part.length > 0) this.onBody(part)
    return this.#takenBytes >= this.mostBytes
  }
}

const maxSizeLineBytes = 4096
const maxTrailerBytes = 65_536
/** What a strict parser surely takes, whole or begun: a size without an extension, and a line with nothing in it. */
const plainSize = /^[0-9a-f]*\r?$/i
const plainEnd = /^\r?$/

/**
 * Chunks whose lines may end in LF alone, with blanks and extensions; trailers are read and dropped. What stands behind the last chunk is no body:
 * where the connection ends there, the body is whole.
 */
export class ChunkedBody implements BodyFraming {
  #isStrict = true
  #line = ''
  #leftBytes = 0
  #trailerBytes = 0
  #state: 'size' | 'data' | 'data-end' | 'trailer' = 'size'
  constructor(readonly onBody: (bytes: Buffer) => void) {}

  get endsWithConnection(): boolean {
    return this.#state === 'trailer'
  }

  get isStrict(): boolean {
    return this.#isStrict
  }

  take(chunk: Buffer): boolean {
    let at = 0
    while (at < chunk.length) {
      if (this.#state === 'data') {
        const part = chunk.subarray(at, at + this.#leftBytes)
        this.onBody(part)
        at += part.length
        this.#leftBytes -= part.length
        if (this.#leftBytes === 0) this.#state = 'data-end'
        continue
      }
      const end = chunk.indexOf(0x0a, at)
      this.#addToLine(chunk.toString('latin1', at, end < 0 ? chunk.length : end), end >= 0)
      if (end < 0) return false
      at = end + 1
      if (this.#takeLine(this.#line.trim())) return true
      this.#line = ''
    }
    return false
  }

  /** Adds to the line what came of it. Of an extension no more is kept than a size line may have. */
  #addToLine(text: string, isWhole: boolean): void {
    this.#line += text
    const isPlain = (this.#state === 'size' ? plainSize : plainEnd).test(this.#line)
    if (!isPlain || (isWhole && !this.#line.endsWith('\r'))) this.#isStrict = false
    if (this.#state === 'trailer') this.#trailerBytes += text.length
    if (this.#trailerBytes > maxTrailerBytes) throw new FramingError('trailers too long')
    if (this.#line.length <= maxSizeLineBytes) return
    if (this.#state !== 'trailer' && !this.#line.includes(';')) throw new FramingError('chunk size line too long')
    this.#line = this.#line.slice(0, maxSizeLineBytes)
  }

  /** True when the line ends the body. */
  #takeLine(line: string): boolean {
    if (this.#state === 'trailer') return line === ''
    if (this.#state === 'data-end') {
      if (line !== '') throw new FramingError('no line end behind a chunk')
      this.#state = 'size'
      return false
    }
    const size = /^0*([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(line)
    if (size === null) throw new FramingError(`invalid chunk size ${JSON.stringify(line.slice(0, 20))}`)
    this.#leftBytes = Number.parseInt(size[1] ?? '0', 16)
    this.#state = this.#leftBytes === 0 ? 'trailer' : 'data'
    return false
  }
}
