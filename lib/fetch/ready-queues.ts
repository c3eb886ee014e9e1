import type { FetchQueue, ReadyEntry } from './fetch-queue.js'
import { Ring } from './ring.js'

/** Queues that may be asked now, each in one of two rings: those with a fetch that waits for its next request, and those with items only. */
export class ReadyQueues {
  readonly #waiters = new Ring<ReadyEntry>()
  readonly #items = new Ring<ReadyEntry>()

  /** Puts a queue into the ring where it belongs now. */
  add(queue: FetchQueue): void {
    const isForWaiters = queue.waiters.length > 0
    if (queue.readyEntry !== undefined && queue.readyEntry.isForWaiters === isForWaiters) return
    const entry: ReadyEntry = { queue, isForWaiters }
    queue.readyEntry = entry
    const ring = isForWaiters ? this.#waiters : this.#items
    ring.push(entry)
  }

  /** The queue whose turn it is, which stands in no ring then; one with items only if `takesItems`. */
  next(takesItems: boolean): FetchQueue | undefined {
    for (;;) {
      const entry = this.#waiters.shift() ?? (takesItems ? this.#items.shift() : undefined)
      if (entry === undefined) return undefined
      if (entry.queue.readyEntry !== entry) continue // void: it was put elsewhere since
      entry.queue.readyEntry = undefined
      return entry.queue
    }
  }
}
