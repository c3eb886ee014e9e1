import type { FetchItem } from '../record/records.js'

/** Where the frontier takes items from, queue by queue: a list on disk, or in memory. Never asked for more than fits its bounds. */
export interface FetchSource {
  /** Items still to be taken, where that is known. */
  readonly remaining?: number
  /**
   * Queue ids with items not yet taken, best first. A queue already given is not given again until reported dry, or given back to be asked later.
   * Empty: none is left; the fetch ends when the queues given before are dry too. May stay pending while more may still come.
   */
  nextQueues(limit: number): Promise<readonly string[]>
  /** Up to `limit` next items of that queue, in order; empty: the queue has run dry. */
  take(queueId: string, limit: number): Promise<readonly FetchItem[]>
  /** Items of a queue that were taken but not fetched, in order: the run was stopped, or the queue may not be asked before `untilMs` (epoch ms). It
   *  is no longer open then, and may be given again when that time has come. */
  giveBack?(queueId: string, items: readonly FetchItem[], untilMs?: number): void
}

/** A source over items in memory: queues in the order in which they first appear. */
export class MemorySource implements FetchSource {
  readonly #queues = new Map<string, FetchItem[]>()
  readonly #fresh: string[] = []

  constructor(items: Iterable<FetchItem> = []) {
    for (const item of items) this.add(item)
  }

  add(item: FetchItem): void {
    const queue = this.#queues.get(item.queueId)
    if (queue !== undefined) {
      queue.push(item)
      return
    }
    this.#queues.set(item.queueId, [item])
    this.#fresh.push(item.queueId)
  }

  nextQueues(limit: number): Promise<readonly string[]> {
    return Promise.resolve(this.#fresh.splice(0, limit))
  }

  take(queueId: string, limit: number): Promise<readonly FetchItem[]> {
    const queue = this.#queues.get(queueId)
    const items = queue?.splice(0, limit) ?? []
    if (items.length === 0) this.#queues.delete(queueId)
    return Promise.resolve(items)
  }
}
