import { fetchItemToJson } from '../record/fetch-json.js'
import { formatLine } from '../record/line-format.js'
import type { FetchItem } from '../record/records.js'
import { AtomicFile } from './atomic-file.js'
import { parts } from './part-names.js'
import type { Segment } from './segment.js'

/** Writes a fetch list that is in its place when it is whole: a list is there, or it is not. */
export class FetchListWriter {
  #items = 0
  private constructor(readonly file: AtomicFile) {}

  static async open(segment: Segment): Promise<FetchListWriter> {
    return new FetchListWriter(await AtomicFile.open(segment.pathOf(parts.fetchList)))
  }

  async write(items: readonly FetchItem[]): Promise<void> {
    let text = ''
    for (const item of items) text += formatLine(item.url, fetchItemToJson(item))
    this.#items += items.length
    await this.file.write(text)
  }

  /** Puts the list in place. @returns how many items it has */
  async commit(): Promise<number> {
    await this.file.commit()
    return this.#items
  }

  /** Forces the whole list to the disk, under its temporary name still. */
  prepare(): Promise<void> {
    return this.file.prepare()
  }

  /** Gives a prepared list its name; nothing to do if it has it. */
  static putInPlace(segment: Segment): Promise<void> {
    return AtomicFile.putInPlace(segment.pathOf(parts.fetchList))
  }

  /** Leaves no list. */
  discard(): Promise<void> {
    return this.file.discard()
  }
}
