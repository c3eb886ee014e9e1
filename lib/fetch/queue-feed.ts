import type { FetchQueue } from './fetch-queue.js'
import type { FetchSource } from './fetch-source.js'

export interface QueueFeedOptions {
  readonly source: FetchSource
  /** Items in memory over all queues, about. */
  readonly maxItems: number
  readonly queueOf: (id: string) => FetchQueue
  /** Called when the source gives a queue, also one that was given up. */
  readonly onOpened: (queue: FetchQueue) => void
  /** Called when a queue got items, or has run dry. */
  readonly onFilled: (queue: FetchQueue) => void
  /** Called after each answer of the source. */
  readonly onAnswer: () => void
  readonly onFailed: (error: unknown) => void
}

const maxItemsPerQueue = 16

/** Takes queues and items from the source, as many as there is room for, and gives back what is not used. */
export class QueueFeed {
  #openQueues = 0
  #fills = 0
  #driedQueues = 0
  #isAsking = false
  #isSourceEmpty = false
  #isStopped = false

  constructor(readonly options: QueueFeedOptions) {}

  /** Whether nothing more will come. */
  get isOver(): boolean {
    if (this.#fills > 0) return false
    return this.#isStopped || (this.#openQueues === 0 && this.#isSourceEmpty && !this.#isAsking)
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Asks the source for more queues if there is room. */
  askQueues(): void {
    const { source, maxItems, queueOf, onAnswer, onFailed } = this.options
    const room = maxItems - this.#openQueues
    if (room <= 0 || this.#isAsking || this.#isSourceEmpty || this.#isStopped) return
    this.#isAsking = true
    const driedBefore = this.#driedQueues
    source.nextQueues(room).then(ids => {
      this.#isAsking = false
      this.#isSourceEmpty = ids.length === 0 && driedBefore === this.#driedQueues
      const opened = ids.map(queueOf).filter(queue => this.#open(queue))
      for (const queue of opened) this.fill(queue) // when all are counted: the more there are, the fewer items each gets
      onAnswer()
    }, onFailed)
  }

  /** Takes more items of a queue when few are left. */
  refill(queue: FetchQueue): void {
    if (queue.items.length < this.#itemsPerQueue() / 4) this.fill(queue)
  }

  fill(queue: FetchQueue): void {
    if (queue.isFilling || !queue.isOpen || this.#isStopped) return
    const { source, onFilled, onAnswer, onFailed } = this.options
    queue.isFilling = true
    this.#fills += 1
    source.take(queue.id, this.#itemsPerQueue()).then(items => {
      this.#fills -= 1
      queue.isFilling = false
      if (items.length === 0) {
        if (queue.items.length === 0) this.#close(queue) // what is left of it may have to wait: until then the run is not over
      } else if (this.#isStopped || queue.abandonedUntilMs !== undefined) source.giveBack?.(queue.id, items, queue.abandonedUntilMs)
      else queue.items.unshift(...[...items].reverse())
      onFilled(queue)
      onAnswer()
    }, onFailed)
  }

  /** Gives all items of a queue that are in memory back. How many they were. */
  giveBack(queue: FetchQueue): number {
    const items = queue.items.reverse()
    queue.items = []
    if (items.length > 0) this.options.source.giveBack?.(queue.id, items)
    return items.length
  }

  /** Gives a queue back that is not to be asked before its `abandonedUntilMs`, with its items. How many they were. */
  abandon(queue: FetchQueue): number {
    const items = queue.items.reverse()
    queue.items = []
    if (queue.isOpen) {
      queue.isOpen = false
      this.#openQueues -= 1
      this.#driedQueues += 1 // as one that is dry: it may be given again
      this.#isSourceEmpty = false
      this.options.source.giveBack?.(queue.id, items, queue.abandonedUntilMs)
    }
    return items.length
  }

  #open(queue: FetchQueue): boolean {
    if (queue.isOpen) return false
    queue.isOpen = true
    this.#openQueues += 1
    this.options.onOpened(queue)
    return true
  }

  #close(queue: FetchQueue): void {
    if (!queue.isOpen) return
    queue.isOpen = false
    this.#openQueues -= 1
    this.#driedQueues += 1 // it may be given again, so the source is asked again
    this.#isSourceEmpty = false
  }

  /** Few where many queues are open: all items in memory together are bounded. */
  #itemsPerQueue(): number {
    return Math.max(1, Math.min(maxItemsPerQueue, Math.floor(this.options.maxItems / Math.max(1, this.#openQueues))))
  }
}
