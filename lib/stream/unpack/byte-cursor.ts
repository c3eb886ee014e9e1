/** Looks ahead in a stream of bytes and takes them in pieces of any size. Holds what was asked for and at most one chunk more. */
export class ByteCursor {
  readonly #source: AsyncIterator<Uint8Array>
  #buffer: Buffer = Buffer.alloc(0)
  #isEnded = false
  /** Bytes taken so far. */
  position = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** What comes next, `count` bytes or more where there are as many; nothing is taken. */
  async peek(count: number): Promise<Buffer> {
    if (this.#buffer.length >= count || this.#isEnded) return this.#buffer
    const pieces: Uint8Array[] = [this.#buffer]
    for (let length = this.#buffer.length; length < count; ) {
      const { done, value } = await this.#source.next()
      if (done === true) {
        this.#isEnded = true
        break
      }
      pieces.push(value)
      length += value.length
    }
    this.#buffer = Buffer.concat(pieces)
    return this.#buffer
  }

  /** Takes bytes that were peeked at. */
  skip(count: number): void {
    this.#buffer = this.#buffer.subarray(count)
    this.position += count
  }

  /** Lets the source go. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
