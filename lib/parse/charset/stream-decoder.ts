import { type CharsetDecoder, createDecoder } from './platform-decoder.js'
import { decodeSingleByte, hasOwnTable } from './single-byte.js'

/** Decodes bytes that come in pieces; a character may be cut anywhere. A byte-order mark at the start is left out. */
export class StreamDecoder {
  readonly #charset: string
  readonly #decoder: CharsetDecoder | undefined

  /** @param charset a name of the Encoding Standard, as `charsetOfLabel` gives it */
  constructor(charset: string) {
    this.#charset = charset
    this.#decoder = hasOwnTable(charset) ? undefined : createDecoder(charset === 'x-user-defined' ? 'windows-1252' : charset)
  }

  write(bytes: Uint8Array): string {
    return this.#decoder?.decode(bytes, { stream: true }) ?? decodeSingleByte(bytes, this.#charset)
  }

  end(): string {
    return this.#decoder?.decode() ?? ''
  }
}
