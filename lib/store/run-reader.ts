import { type FileHandle, open } from 'node:fs/promises'
import type { Update } from './update.js'

const chunkBytes = 64 * 1024

/** Reads one sorted run, of a file or of memory, entry by entry. `key` is undefined before the first `advance()` and after the end. */
export class RunReader {
  key: string | undefined
  payload = ''
  /** What of the file is read, and where its next line starts. */
  #text = ''
  #start = 0
  #updates: readonly Update[] = []
  #index = 0
  readonly #file: string | undefined
  #handle: FileHandle | undefined
  /** One for all that is read: memory that V8 counts as its own is a reason for it to collect. */
  #chunk: Buffer | undefined
  #decoder = new TextDecoder()
  #hasEnded = false

  private constructor(
    /** Its place among the runs of a sort: lower ones were added before. */
    readonly number: number,
    file: string | undefined,
    updates: readonly Update[],
  ) {
    this.#file = file
    this.#updates = updates
  }

  static ofFile(file: string, number: number): RunReader {
    return new RunReader(number, file, [])
  }

  static ofUpdates(updates: readonly Update[], number: number): RunReader {
    return new RunReader(number, undefined, updates)
  }

  /** Goes to the next entry if it is in memory; false if `advance()` must be awaited instead. */
  advanceInMemory(): boolean {
    if (this.#file === undefined) return this.#advanceUpdates()
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

  #advanceUpdates(): boolean {
    const update = this.#updates[this.#index++]
    this.key = update?.key
    this.payload = update?.payload ?? ''
    return true
  }

  async #readChunk(): Promise<void> {
    this.#handle ??= await open(this.#file as string, 'r') // only a reader of a file comes here
    this.#chunk ??= Buffer.allocUnsafeSlow(chunkBytes)
    const { bytesRead } = await this.#handle.read(this.#chunk, 0, chunkBytes)
    this.#hasEnded = bytesRead === 0
    this.#text = this.#text.slice(this.#start) + this.#decoder.decode(this.#chunk.subarray(0, bytesRead), { stream: !this.#hasEnded })
    this.#start = 0
  }
}
