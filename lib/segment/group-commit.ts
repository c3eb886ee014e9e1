import { setTimeout as sleep } from 'node:timers/promises'

export interface GroupCommitOptions<Entry, Committed> {
  /** Writes a batch, all or nothing; gives what `append` is to give for each entry, in order. */
  readonly commit: (batch: readonly Entry[]) => Promise<readonly Committed[]>
  readonly sizeOf: (entry: Entry) => number
  /** A batch is closed before it gets larger than this; a larger entry goes alone. */
  readonly maxBatchBytes: number
}

interface Waiting<Entry, Committed> {
  readonly entry: Entry
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

/** How long a batch waits for company: a system call for each page costs more than all else in writing it. */
const gatherMs = 4
/** A batch of so many entries goes at once. */
const fullBatch = 48

/**
 * Writes entries in batches, one batch at a time: what comes while one is gathered or written makes up the next. After a failed write nothing more is
 * taken, and every entry that waits fails with its error.
 */
export class GroupCommit<Entry, Committed> {
  readonly #options: GroupCommitOptions<Entry, Committed>
  readonly #waiting: Waiting<Entry, Committed>[] = []
  #draining: Promise<void> | undefined
  #failure: unknown

  constructor(options: GroupCommitOptions<Entry, Committed>) {
    this.#options = options
  }

  /** The error that ended the writing, if one did. */
  get failure(): unknown {
    return this.#failure
  }

  /** Resolves when the entry is committed. */
  append(entry: Entry): Promise<Committed> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure)
      this.#waiting.push({ entry, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < fullBatch) await sleep(gatherMs)
      const batch = this.#takeBatch()
      try {
        const committed = await this.#options.commit(batch.map(({ entry }) => entry))
        for (const [index, { resolve }] of batch.entries()) resolve(committed[index] as Committed) // one for each of the batch
      } catch (error) {
        this.#failure = error
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error)
      }
    }
    this.#draining = undefined
  }

  #takeBatch(): Waiting<Entry, Committed>[] {
    let bytes = 0
    let count = 0
    for (const { entry } of this.#waiting) {
      bytes += this.#options.sizeOf(entry)
      if (count > 0 && bytes > this.#options.maxBatchBytes) break
      count++
    }
    return this.#waiting.splice(0, count)
  }
}
