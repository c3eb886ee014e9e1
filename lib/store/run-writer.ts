import { type FileHandle, open } from 'node:fs/promises'
import type { UpdateArena } from './update-arena.js'
import { writeAll } from './write-all.js'

const pieceChars = 128 * 1024
/** No UTF-16 unit takes more in UTF-8. */
const utf8BytesPerUnit = 3

/** Writes a sorted run: a line of key, tab and payload for each entry. */
export class RunWriter {
  #text = ''
  /** One for all that is written: memory that V8 counts as its own is a reason for it to collect. */
  #buffer = Buffer.allocUnsafeSlow(pieceChars * 2)

  private constructor(readonly handle: FileHandle) {}

  static async open(file: string): Promise<RunWriter> {
    return new RunWriter(await open(file, 'w'))
  }

  /** What it gives is to be awaited before the next entry. */
  add(key: string, payload: string): Promise<void> | undefined {
    this.#text += `${key}\t${payload}\n`
    return this.#text.length > pieceChars ? this.#write() : undefined
  }

  /** Adds all lines of an arena that was sorted. */
  async addAll(arena: UpdateArena): Promise<void> {
    for (let length = arena.read(this.#buffer); length > 0; length = arena.read(this.#buffer))
      await writeAll(this.handle, [this.#buffer.subarray(0, length)])
  }

  /** Writes what is left, and closes the file in any case. */
  async close(): Promise<void> {
    try {
      await this.#write()
    } finally {
      await this.handle.close()
    }
  }

  async #write(): Promise<void> {
    const text = this.#text
    this.#text = ''
    if (this.#buffer.length < text.length * utf8BytesPerUnit) this.#buffer = Buffer.allocUnsafeSlow(text.length * utf8BytesPerUnit)
    await writeAll(this.handle, [this.#buffer.subarray(0, this.#buffer.write(text))])
  }
}
