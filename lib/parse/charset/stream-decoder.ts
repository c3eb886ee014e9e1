import { type CharsetDecoder, createDecoder } from './create-decoder.js'

/** Decodes bytes that come in pieces; a character may be cut anywhere. A byte-order mark at the start is left out. */
export class StreamDecoder {
  readonly #decoder: CharsetDecoder

  /** @param charset a name of the Encoding Standard, as `charsetOfLabel` gives it */
  constructor(charset: string) {
    this.#decoder = createDecoder(charset)
  }

  write(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true })
  }

  end(): string {
    return this.#decoder.decode()
  }
}
