import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { fetchItemToJson } from '../record/fetch-json.js'
import { formatLine } from '../record/line-format.js'
import type { FetchItem } from '../record/records.js'
import { ioError } from './append-file.js'
import { parts } from './part-names.js'
import type { Segment } from './segment.js'
import { syncFolder } from './write-atomic.js'

const bufferChars = 1024 * 1024

/** Writes a fetch list under a temporary name and puts it in its place when it is whole: a list is there, or it is not. */
export class FetchListWriter {
  #text = ''
  #items = 0

  private constructor(
    readonly segment: Segment,
    readonly path: string,
    readonly handle: FileHandle,
  ) {}

  static async open(segment: Segment): Promise<FetchListWriter> {
    const path = segment.pathOf(parts.fetchList)
    return new FetchListWriter(segment, path, await open(`${path}.tmp`, 'w'))
  }

  async write(items: readonly FetchItem[]): Promise<void> {
    for (const item of items) this.#text += formatLine(item.url, fetchItemToJson(item))
    this.#items += items.length
    if (this.#text.length >= bufferChars) await this.#flush()
  }

  /** Puts the list in place. @returns how many items it has */
  async commit(): Promise<number> {
    try {
      await this.#flush()
      await this.handle.sync()
      await this.handle.close()
      await rename(`${this.path}.tmp`, this.path)
    } catch (cause) {
      await this.discard()
      throw ioError(this.path, cause)
    }
    await syncFolder(this.segment.folder)
    return this.#items
  }

  /** Leaves no list. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined) // closed already, or failing as the write before it did
    await rm(`${this.path}.tmp`, { force: true })
  }

  async #flush(): Promise<void> {
    try {
      await this.handle.appendFile(this.#text)
    } catch (cause) {
      throw ioError(this.path, cause)
    }
    this.#text = ''
  }
}
