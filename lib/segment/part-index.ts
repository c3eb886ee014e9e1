import { open } from 'node:fs/promises'
import { AtomicFile } from './atomic-file.js'
import type { LinePlace } from './pack-part.js'
import { type PartName, partNames, parts } from './part-names.js'
import { openIfThere } from './read-lines.js'
import { LineSorter } from './sort-lines.js'

/** Where the lines of one URL stand in a part. */
export interface PartPlace {
  readonly part: PartName
  readonly offsetBytes: number
  readonly lengthBytes: number
}

export const partIndexName = 'parts.index'

/**
 * Collects `URL TAB part TAB offset TAB length` for each line of each part and writes them sorted, so that a URL's lines are found by
 * halving. The links that a page gives stand with the page, not with their targets.
 */
export class PartIndexWriter {
  readonly #sorter: LineSorter
  #startBytes: number | undefined

  constructor(readonly path: string) {
    this.#sorter = new LineSorter(path)
  }

  add(part: PartName, { key, offsetBytes, lengthBytes }: LinePlace): Promise<void> | undefined {
    let start = offsetBytes
    if (part === parts.crawlParse) {
      this.#startBytes ??= offsetBytes
      if (key === undefined) return undefined
      start = this.#startBytes
      this.#startBytes = undefined
    }
    return this.#sorter.add(`${key}\t${partNames.indexOf(part)}\t${start}\t${offsetBytes + lengthBytes - start}`)
  }

  async commit(): Promise<void> {
    const file = await AtomicFile.open(this.path)
    try {
      for await (const lines of this.#sorter.sorted()) if (lines.length > 0) await file.write(`${lines.join('\n')}\n`)
    } catch (error) {
      await file.discard()
      throw error
    }
    await file.commit()
  }

  discard(): Promise<void> {
    return this.#sorter.discard()
  }
}

/** Where a URL's lines stand, part by part. Undefined if there is no index: the segment is not sealed. */
export async function findPartPlaces(path: string, url: string): Promise<readonly PartPlace[] | undefined> {
  const handle = await openIfThere(path)
  if (handle === undefined) return undefined
  await handle.close()
  const places: PartPlace[] = []
  for (const line of await findSortedLines(path, `${url}\t`)) {
    const [number, offset, length] = line
      .slice(url.length + 1)
      .split('\t')
      .map(Number)
    const part = partNames[number ?? -1]
    if (part !== undefined) places.push({ part, offsetBytes: offset ?? 0, lengthBytes: length ?? 0 })
  }
  return places
}

/** All lines that begin with `lead`, of a file whose lines are sorted by code units; reads about as many blocks as the file can be halved. */
export async function findSortedLines(path: string, lead: string): Promise<readonly string[]> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const lineAt = async (from: number): Promise<{ line: string; endBytes: number } | undefined> => {
      for (let length = 4096; from < size; length *= 4) {
        const block = Buffer.alloc(Math.min(length, size - from))
        await handle.read(block, 0, block.length, from)
        const end = block.indexOf(10)
        if (end >= 0) return { line: block.toString('utf8', 0, end), endBytes: from + end + 1 }
        if (from + block.length >= size) return undefined
      }
      return undefined
    }
    let low = 0 // the line that begins here, or one after it, is the first that is not below `lead`
    let high = size
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const start = middle === 0 ? 0 : ((await lineAt(middle - 1))?.endBytes ?? size)
      const found = start >= high ? undefined : await lineAt(start)
      if (found !== undefined && found.line < lead) low = found.endBytes
      else high = middle
    }
    const lines: string[] = []
    for (let found = await lineAt(low); found?.line.startsWith(lead) === true; found = await lineAt(found.endBytes)) lines.push(found.line)
    return lines
  } finally {
    await handle.close()
  }
}
