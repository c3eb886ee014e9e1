import { type FileHandle, open } from 'node:fs/promises'
import type { UpdateArena } from './update-arena.js'

const chunkBytes = 64 * 1024

/** Reads one sorted run, of a file or of memory, entry by entry. `key` is undefined before the first `advance()` and after the end. */
export class RunReader {
  key: string | undefined
  payload = ''
  /** What is read, and where its next line starts. */
  #text = ''
  #start = 0
  readonly #source: string | UpdateArena
  #handle: FileHandle | undefined
  /** One for all that is read: memory that V8 counts as its own is a reason for it to collect. */
  #chunk: Buffer | undefined
  #decoder = new TextDecoder()
  #hasEnded = false

  constructor(
    /** A file, or an arena that was sorted. */
    source: string | UpdateArena,
    /** Its place among the runs of a sort: lower ones were added before. */
    readonly number: number,
  ) {
    this.#source = source
  }

  /** Goes to the next entry if it is in memory; false if `advance()` must be awaited instead. */
  advanceInMemory(): boolean {
    const end = this.#text.indexOf('\n', this.#start)
    if (end < 0) return false
    const tab = this.#text.indexOf('\t', this.#start)
    this.key = this.#text.slice(this.#start, tab)
    this.payload = this.#text.slice(tab + 1, end)
    this.#start = end + 1
    return true
  }

  async advance(): Promise<void> {
    while (!this.advanceInMemory()) {
      if (this.#hasEnded) {
        this.key = undefined
        return
      }
      await this.#readChunk()
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
  }

  async #readChunk(): Promise<void> {
    this.#chunk ??= Buffer.allocUnsafeSlow(chunkBytes)
    const bytesRead = typeof this.#source === 'string' ? await this.#readFile(this.#source, this.#chunk) : this.#source.read(this.#chunk)
    this.#hasEnded = bytesRead === 0
    this.#text = this.#text.slice(this.#start) + this.#decoder.decode(this.#chunk.subarray(0, bytesRead), { stream: !this.#hasEnded })
    this.#start = 0
  }

  async #readFile(file: string, into: Buffer): Promise<number> {
    this.#handle ??= await open(file, 'r')
    return (await this.#handle.read(into, 0, into.length)).bytesRead
  }
}
