import type { FetchConfig } from '../config/fetch-options.js'
import type { Clock } from '../log/clock.js'
import type { FetchItem } from '../record/records.js'
import { DueHeap } from './due-heap.js'
import type { FetchSource } from './fetch-source.js'
import { afterRequest, type PolitenessState, type QueuePoliteness } from './politeness.js'
import type { Timer, Timers } from './timers.js'
import type { RequestReport, Turn, Turns } from './turns.js'

/** A queue in memory. */
interface Queue {
  readonly id: string
  /** Items in memory, the next one last. */
  items: FetchItem[]
  /** Fetches that wait for another turn here; they go before new items. */
  readonly waiters: ((turn: Turn | undefined) => void)[]
  inFlight: number
  politeness: QueuePoliteness | undefined
  /** Whether its robots.txt has had a chance to be read: before that, one request at a time. */
  isProbed: boolean
  /** Whether the source gave it, and has not said that it is dry. */
  isOpen: boolean
  isFilling: boolean
  isReady: boolean
  isInHeap: boolean
  /** Given up for this run. */
  isAbandoned: boolean
  dueMs: number
}

export interface AbandonedQueue {
  readonly queueId: string
  /** When it may be asked again, epoch ms. */
  readonly untilMs: number
  readonly reason: 'held' | 'failures'
  /** Items that were in memory; more may be on disk. */
  readonly givenBack: number
}

export interface FrontierOptions {
  readonly source: FetchSource
  readonly config: FetchConfig
  readonly clock: Clock
  readonly timers: Timers
  readonly politeness?: PolitenessState | undefined
  /** Fetches an item; the turn that `turns` gives first at the item's queue is there already. Resolves when its slot is free again. */
  readonly startItem: (item: FetchItem, turns: Turns) => Promise<void>
}

/** Most items kept in memory for one queue. */
const maxItemsPerQueue = 16

/**
 * The fetch queues (Nutch's FetchItemQueues and FetchItemQueue): which item may be fetched now. Items stay in the source; of each active queue a few
 * are in memory. Ready queues stand in a ring and are served in turn; the others wait in a heap with one timer for the earliest.
 */
export class Frontier implements Turns {
  readonly abandoned: AbandonedQueue[] = []
  readonly #queues = new Map<string, Queue>()
  readonly #ready: Queue[] = []
  readonly #waiting = new DueHeap<Queue>()
  readonly #idle: () => void
  readonly finished: Promise<void>
  #fail!: (error: unknown) => void
  #readyAt = 0
  #timer: Timer | undefined
  #timerMs = Number.POSITIVE_INFINITY
  #active = 0
  #parked = 0
  #tasks = 0
  #openQueues = 0
  #fills = 0
  #driedQueues = 0
  #isAskingQueues = false
  #isSourceEmpty = false
  #isStopped = false
  #isPumping = false

  constructor(readonly options: FrontierOptions) {
    let idle = (): void => undefined
    this.finished = new Promise((resolve, reject) => {
      idle = resolve
      this.#fail = reject
    })
    this.#idle = idle
    for (const [id, politeness] of Object.entries(options.politeness ?? {})) this.#queueOf(id).politeness = politeness
  }

  /** Fetches under way: with a turn, at work on what came, or waiting for another turn. */
  get tasks(): number {
    return this.#tasks
  }

  start(): void {
    this.#pump()
  }

  /** Takes no new item; fetches that wait for another turn get none. What is in flight goes on. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    for (const queue of this.#queues.values()) this.#giveBack(queue)
    this.#pump()
  }

  /** What must be known to go on later without asking a host too early. */
  exportPoliteness(): PolitenessState {
    const nowMs = this.options.clock.nowMs()
    const state: Record<string, QueuePoliteness> = {}
    for (const { id, politeness } of this.#queues.values()) {
      if (politeness !== undefined && (politeness.nextMs > nowMs || politeness.failures > 0)) state[id] = politeness
    }
    return state
  }

  take(queueId: string): Promise<Turn | undefined> {
    const queue = this.#queueOf(queueId)
    const { maxInFlight, queueDepth } = this.options.config
    if (this.#isStopped || queue.isAbandoned || this.#parked >= maxInFlight * queueDepth) return Promise.resolve(undefined)
    this.#parked += 1
    this.#active -= 1
    return new Promise(resolve => {
      queue.waiters.push(turn => {
        this.#parked -= 1
        this.#active += 1
        resolve(turn)
      })
      this.#schedule(queue)
      this.#pump()
    })
  }

  #queueOf(id: string): Queue {
    const known = this.#queues.get(id)
    if (known !== undefined) return known
    const queue: Queue = {
      id,
      items: [],
      waiters: [],
      inFlight: 0,
      politeness: undefined,
      isProbed: false,
      isOpen: false,
      isFilling: false,
      isReady: false,
      isInHeap: false,
      isAbandoned: false,
      dueMs: 0,
    }
    this.#queues.set(id, queue)
    return queue
  }

  /** Puts a queue where it belongs: into the ring, into the heap, or nowhere. */
  #schedule(queue: Queue): void {
    if (queue.isReady || queue.isAbandoned) return
    if (queue.waiters.length === 0 && queue.items.length === 0) {
      this.#forgetIfOver(queue)
      return
    }
    if (queue.inFlight >= this.#mostInFlight(queue)) return
    const nowMs = this.options.clock.nowMs()
    const nextMs = queue.politeness?.nextMs ?? 0
    if (nextMs <= nowMs) {
      queue.isReady = true
      this.#ready.push(queue)
      return
    }
    if (nextMs - nowMs > this.options.config.maxHoldMs) {
      this.#abandon(queue, 'held')
      return
    }
    if (queue.isInHeap && queue.dueMs <= nextMs) return
    queue.dueMs = nextMs
    queue.isInHeap = true
    this.#waiting.push(queue)
    this.#armTimer()
  }

  #mostInFlight({ isProbed, politeness }: Queue): number {
    return !isProbed || politeness?.isSerial === true ? 1 : this.options.config.maxInFlightPerQueue
  }

  #armTimer(): void {
    const earliestMs = this.#waiting.earliestMs
    if (earliestMs === undefined || earliestMs >= this.#timerMs) return
    this.#timer?.cancel()
    this.#timerMs = earliestMs
    const delayMs = Math.max(1, earliestMs - this.options.clock.nowMs())
    this.#timer = this.options.timers.start(delayMs, () => {
      this.#timerMs = Number.POSITIVE_INFINITY
      this.#wake()
    })
  }

  #wake(): void {
    const nowMs = this.options.clock.nowMs()
    for (let earliestMs = this.#waiting.earliestMs; earliestMs !== undefined && earliestMs <= nowMs; earliestMs = this.#waiting.earliestMs) {
      const queue = this.#waiting.pop()
      if (queue === undefined) break
      queue.isInHeap = false
      this.#schedule(queue)
    }
    this.#armTimer()
    this.#pump()
  }

  /** Starts what may start, and takes more queues while there is room. */
  #pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    const { maxInFlight } = this.options.config
    while (this.#active < maxInFlight && this.#readyAt < this.#ready.length) {
      const queue = this.#ready[this.#readyAt] as Queue // below the length
      this.#readyAt += 1
      if (this.#readyAt > 1024 && this.#readyAt * 2 > this.#ready.length) {
        this.#ready.splice(0, this.#readyAt)
        this.#readyAt = 0
      }
      queue.isReady = false
      this.#serve(queue)
      this.#schedule(queue)
    }
    this.#isPumping = false
    this.#askQueues()
    this.#finishIfOver()
  }

  #serve(queue: Queue): void {
    if (queue.isAbandoned || queue.inFlight >= this.#mostInFlight(queue) || (queue.politeness?.nextMs ?? 0) > this.options.clock.nowMs()) return
    const waiter = queue.waiters.shift()
    if (waiter !== undefined) {
      waiter(this.#turnAt(queue))
      return
    }
    const item = queue.items.pop()
    if (item === undefined) return
    if (queue.items.length < this.#itemsPerQueue() / 4) this.#fill(queue)
    this.#startItem(queue, item)
  }

  #startItem(queue: Queue, item: FetchItem): void {
    let first: Turn | undefined = this.#turnAt(queue)
    this.#tasks += 1
    this.#active += 1
    const turns: Turns = {
      take: queueId => {
        if (first === undefined || queueId !== first.queueId) return this.take(queueId)
        const turn = first
        first = undefined
        return Promise.resolve(turn)
      },
    }
    const end = (): void => {
      first?.cancel()
      this.#tasks -= 1
      this.#active -= 1
      this.#pump()
    }
    this.options.startItem(item, turns).then(end, error => {
      this.#fail(error)
      end()
    })
  }

  #turnAt(queue: Queue): Turn {
    queue.inFlight += 1
    const release = (report: RequestReport | undefined): void => {
      queue.inFlight -= 1
      queue.isProbed ||= report !== undefined
      if (report !== undefined) this.#takeReport(queue, report)
      this.#schedule(queue)
      this.#pump()
    }
    const { delayMs = 0, source = 'option' } = queue.politeness ?? {}
    return { queueId: queue.id, dueDelayMs: delayMs, delaySource: source, end: release, cancel: () => release(undefined) }
  }

  #takeReport(queue: Queue, report: RequestReport): void {
    const { config } = this.options
    queue.politeness = afterRequest(queue.politeness, report, config)
    if (config.maxExceptions >= 0 && queue.politeness.failures >= config.maxExceptions && report.isException) this.#abandon(queue, 'failures')
  }

  /** Gives a queue up for this run: its items go back, and those that wait for it get no turn. */
  #abandon(queue: Queue, reason: AbandonedQueue['reason']): void {
    if (queue.isAbandoned) return
    queue.isAbandoned = true
    const givenBack = this.#giveBack(queue)
    if (queue.isOpen) this.#openQueues -= 1
    this.abandoned.push({ queueId: queue.id, untilMs: queue.politeness?.nextMs ?? 0, reason, givenBack })
  }

  #giveBack(queue: Queue): number {
    const items = queue.items.reverse()
    queue.items = []
    if (items.length > 0) this.options.source.giveBack?.(queue.id, items)
    for (const waiter of queue.waiters.splice(0)) waiter(undefined)
    return items.length
  }

  #askQueues(): void {
    const { maxInFlight, queueDepth } = this.options.config
    const room = maxInFlight * queueDepth - this.#openQueues
    if (room <= 0 || this.#isAskingQueues || this.#isSourceEmpty || this.#isStopped) return
    this.#isAskingQueues = true
    const dryBefore = this.#driedQueues
    this.options.source.nextQueues(room).then(
      ids => {
        this.#isAskingQueues = false
        this.#isSourceEmpty = ids.length === 0 && dryBefore === this.#driedQueues
        for (const id of ids) this.#openQueue(this.#queueOf(id))
        this.#pump()
      },
      error => this.#fail(error),
    )
  }

  /** Few where many queues are open: all items in memory together are bounded. */
  #itemsPerQueue(): number {
    const { maxInFlight, queueDepth } = this.options.config
    return Math.max(1, Math.min(maxItemsPerQueue, Math.floor((maxInFlight * queueDepth) / Math.max(1, this.#openQueues))))
  }

  #openQueue(queue: Queue): void {
    if (queue.isOpen || queue.isAbandoned) return
    queue.isOpen = true
    this.#openQueues += 1
    this.#fill(queue)
  }

  #fill(queue: Queue): void {
    if (queue.isFilling || !queue.isOpen || this.#isStopped || queue.isAbandoned) return
    queue.isFilling = true
    this.#fills += 1
    this.options.source.take(queue.id, this.#itemsPerQueue()).then(
      items => {
        this.#fills -= 1
        queue.isFilling = false
        if (items.length === 0) this.#close(queue)
        else if (this.#isStopped || queue.isAbandoned) this.options.source.giveBack?.(queue.id, items)
        else queue.items.unshift(...[...items].reverse())
        this.#schedule(queue)
        this.#pump()
      },
      error => this.#fail(error),
    )
  }

  #close(queue: Queue): void {
    if (!queue.isOpen) return
    queue.isOpen = false
    if (!queue.isAbandoned) this.#openQueues -= 1
    this.#driedQueues += 1 // it may be given again, so the source is asked again
    this.#isSourceEmpty = false
  }

  /** A queue with nothing to do is dropped as soon as its politeness no longer matters. */
  #forgetIfOver(queue: Queue): void {
    if (queue.isOpen) {
      this.#fill(queue)
      return
    }
    if (queue.isAbandoned || queue.inFlight > 0 || queue.isInHeap) return
    const { nextMs: againMs = 0, failures = 0 } = queue.politeness ?? {}
    const nextMs = failures > 0 ? againMs + this.options.config.exceptionsClearAfterMs : againMs
    if (nextMs <= this.options.clock.nowMs()) {
      this.#queues.delete(queue.id)
      return
    }
    queue.dueMs = nextMs
    queue.isInHeap = true
    this.#waiting.push(queue)
  }

  #finishIfOver(): void {
    if (this.#tasks > 0 || this.#fills > 0) return
    const isOver = this.#isStopped || (this.#openQueues === 0 && this.#isSourceEmpty && !this.#isAskingQueues)
    if (!isOver) return
    this.#timer?.cancel()
    this.#timer = undefined
    this.#idle()
  }
}
