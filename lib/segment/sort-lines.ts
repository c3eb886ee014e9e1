import { rm } from 'node:fs/promises'
import { compareText } from '../stream/compare-text.js'
import { AtomicFile } from './atomic-file.js'
import { eachLine, readLineBatches } from './read-lines.js'

export interface SortLinesOptions {
  /** Text held before it is sorted and put on disk. @defaultValue 32 MiB of characters */
  readonly runChars?: number
}

const outputChars = 64 * 1024

/**
 * Sorts any number of lines by their code units, in bounded memory: sorted runs on disk, then merged. For ASCII that is the order of bytes
 * (`LC_ALL=C sort`). Equal lines are given once. Runs stand beside `path` and are removed at the end, also after a failure.
 */
export class LineSorter {
  readonly #runs: string[] = []
  #spills = 0
  #lines: string[] = []
  #chars = 0
  readonly #runChars: number

  constructor(
    readonly path: string,
    { runChars = 32 * 1024 * 1024 }: SortLinesOptions = {},
  ) {
    this.#runChars = runChars
  }

  /** Takes a line without its LF. @returns what must be waited for before this caller's next, if anything */
  add(line: string): Promise<void> | undefined {
    this.#lines.push(line)
    this.#chars += line.length
    return this.#chars >= this.#runChars ? this.#spill() : undefined
  }

  /** The sorted lines, in batches. The sorter is used up then. */
  async *sorted(): AsyncGenerator<readonly string[]> {
    try {
      const last = this.#takeSorted()
      if (this.#runs.length === 0) yield last
      else yield* mergeLines([...this.#runs.map(readLinesOf), oneBatch(last)])
    } finally {
      await this.discard()
    }
  }

  async discard(): Promise<void> {
    for (const run of this.#runs.splice(0)) await rm(run, { force: true })
  }

  #takeSorted(): string[] {
    const lines = this.#lines.sort(compareText)
    this.#lines = []
    this.#chars = 0
    return lines.filter((line, index) => line !== lines[index - 1])
  }

  async #spill(): Promise<void> {
    const path = `${this.path}.run-${this.#spills++}`
    const lines = this.#takeSorted() // at once: others may add while this waits
    const file = await AtomicFile.open(path)
    for (let start = 0; start < lines.length; start += 4096) await file.write(`${lines.slice(start, start + 4096).join('\n')}\n`)
    await file.commit()
    this.#runs.push(path)
  }
}

async function* oneBatch(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines
}

async function* readLinesOf(path: string): AsyncGenerator<readonly string[]> {
  for await (const { text } of readLineBatches(path)) {
    const lines: string[] = []
    eachLine(text, line => lines.push(line))
    yield lines
  }
}

/** One sorted source: its current line, and how to get the next. */
class Head {
  #batch: readonly string[] = []
  #next = 0
  line = ''
  constructor(readonly source: AsyncGenerator<readonly string[]>) {}

  /** @returns whether there is a line */
  async advance(): Promise<boolean> {
    while (this.#next >= this.#batch.length) {
      const { done, value } = await this.source.next()
      if (done === true) return false
      this.#batch = value
      this.#next = 0
    }
    this.line = this.#batch[this.#next++] as string // below the length
    return true
  }
}

async function* mergeLines(sources: readonly AsyncGenerator<readonly string[]>[]): AsyncGenerator<readonly string[]> {
  const heads: Head[] = []
  for (const head of sources.map(source => new Head(source))) if (await head.advance()) heads.push(head)
  let out: string[] = []
  let outChars = 0
  let previous: string | undefined
  while (heads.length > 0) {
    const least = heads.reduce((best, head) => (head.line < best.line ? head : best))
    if (least.line !== previous) {
      out.push(least.line)
      outChars += least.line.length
    }
    previous = least.line
    if (!(await least.advance())) heads.splice(heads.indexOf(least), 1)
    if (outChars < outputChars) continue
    yield out
    out = []
    outChars = 0
  }
  yield out
}
