import type { RunReader } from './run-reader.js'
import type { CompareKeys } from './update.js'

/** Sorted runs as one: entries in the order of keys, those of one key in the order of the runs. */
export class RunQueue {
  /** Not at their end; the one to read from next is the last. */
  readonly #readers: RunReader[] = []
  readonly #compare: CompareKeys

  private constructor(compare: CompareKeys) {
    this.#compare = compare
  }

  static async of(runs: readonly RunReader[], compare: CompareKeys): Promise<RunQueue> {
    const queue = new RunQueue(compare)
    for (const run of runs) {
      await run.advance()
      queue.#insert(run)
    }
    return queue
  }

  /** The run whose entry is next; undefined at the end of all. */
  get first(): RunReader | undefined {
    return this.#readers[this.#readers.length - 1]
  }

  /** Passes over that entry; what it gives is to be awaited before `first` is asked again. */
  advance(): Promise<void> | undefined {
    const reader = this.#readers.pop()
    if (reader === undefined) return undefined
    if (!reader.advanceInMemory()) return reader.advance().then(() => this.#insert(reader))
    this.#insert(reader)
    return undefined
  }

  #insert(reader: RunReader): void {
    if (reader.key === undefined) return
    let low = 0
    let high = this.#readers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBefore(reader, this.#readers[middle] as RunReader)) low = middle + 1
      else high = middle
    }
    this.#readers.splice(low, 0, reader)
  }

  #isBefore(a: RunReader, b: RunReader): boolean {
    const comparison = this.#compare(a.key as string, b.key as string) // those at their end are not in the queue
    return comparison < 0 || (comparison === 0 && a.number < b.number)
  }
}
