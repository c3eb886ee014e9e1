import type { FetchItem } from '../record/records.js'
import { type FetchQueue, mostInFlight, newFetchQueue, newTurn, refuseWaiters } from './fetch-queue.js'
import type { AbandonedQueue, FrontierOptions } from './frontier-options.js'
import { afterRequest, type PolitenessState, politenessEndsMs, politenessOf, unknownPoliteness } from './politeness.js'
import { QueueFeed } from './queue-feed.js'
import { ReadyQueues } from './ready-queues.js'
import { TaskTurns } from './task-turns.js'
import type { RequestReport, Turn, Turns } from './turns.js'
import { WaitingQueues } from './waiting-queues.js'

/** Queues without work that are remembered for their failures. */
const maxRemembered = 50_000

/**
 * The fetch queues (Nutch's FetchItemQueues): which request may be sent now. Items stay in the source; of each open queue a few are in memory.
 * Queues that may be asked stand in two rings and are served in turn, those whose fetch waits for its next request first; others wait in a heap.
 */
export class Frontier implements Turns {
  /** Resolves when all is fetched, or after a stop when nothing is in flight. */
  readonly finished: Promise<void>
  readonly #queues = new Map<string, FetchQueue>()
  readonly #abandoned = new Map<string, AbandonedQueue>()
  readonly #ready = new ReadyQueues()
  readonly #waiting: WaitingQueues
  readonly #feed: QueueFeed
  readonly #maxTasks: number
  #finish!: () => void
  #fail!: (error: unknown) => void
  /** Tasks that hold a slot: with a turn, or at work on what came. */
  #active = 0
  #tasks = 0
  #isStopped = false
  #isPumping = false

  constructor(readonly options: FrontierOptions) {
    const { source, config, clock, timers, politeness = {} } = options
    this.finished = new Promise((resolve, reject) => {
      this.#finish = resolve
      this.#fail = reject
    })
    this.#maxTasks = config.maxInFlight * config.queueDepth
    this.#waiting = new WaitingQueues(
      clock,
      timers,
      queue => this.#schedule(queue),
      () => this.#pump(),
    )
    this.#feed = new QueueFeed({
      source,
      maxItems: this.#maxTasks,
      queueOf: id => this.#queueOf(id),
      onOpened: queue => this.#revive(queue),
      onFilled: queue => this.#schedule(queue),
      onAnswer: () => this.#pump(),
      onFailed: error => this.#fail(error),
    })
    for (const [id, state] of Object.entries(politeness)) this.#queueOf(id).politeness = state
  }

  /** Fetches under way: with a turn, at work on what came, or waiting for another turn. */
  get tasks(): number {
    return this.#tasks
  }

  /** Queues that are given up now. */
  get abandoned(): AbandonedQueue[] {
    return [...this.#abandoned.values()]
  }

  /** Queues that have work, or are remembered. */
  get queues(): Iterable<FetchQueue> {
    return this.#queues.values()
  }

  start(): void {
    this.#pump()
  }

  /** Takes no new item; fetches that wait for another turn get none. What is in flight goes on. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#feed.stop()
    for (const queue of this.#queues.values()) {
      refuseWaiters(queue)
      this.#feed.giveBack(queue)
    }
    this.#pump()
  }

  /** What must be known to go on later without asking a host too early. */
  exportPoliteness(): PolitenessState {
    return politenessOf(this.#queues.values(), this.options.clock.nowMs(), this.options.config)
  }

  /** Runs a fetch of pages that are no items, such as sitemaps: its requests take turns with those of the items, and the run lasts until it ends. */
  runTask(task: (turns: Turns) => Promise<void>): Promise<void> {
    const turns = new TaskTurns(undefined, queueId => this.take(queueId))
    this.#tasks += 1
    this.#active += 1
    return task(turns).finally(() => this.#endTask(turns))
  }

  /** For a task that has no turn now: gives its slot up until there is one. */
  take(queueId: string): Promise<Turn | undefined> {
    const queue = this.#queueOf(queueId)
    if (queue.abandonedUntilMs !== undefined && queue.abandonedUntilMs <= this.options.clock.nowMs()) this.#revive(queue)
    if (this.#isStopped || queue.abandonedUntilMs !== undefined) return Promise.resolve(undefined)
    this.#active -= 1
    return new Promise(resolve => {
      queue.waiters.push(turn => {
        this.#active += 1
        resolve(turn)
      })
      if (queue.readyEntry !== undefined) this.#ready.add(queue) // the ring of items may take long to come round
      this.#schedule(queue)
      this.#pump()
    })
  }

  #queueOf(id: string): FetchQueue {
    const known = this.#queues.get(id)
    if (known !== undefined) return known
    const queue = newFetchQueue(id)
    const { notBeforeMs = 0, config } = this.options
    if (notBeforeMs > this.options.clock.nowMs()) queue.politeness = unknownPoliteness(notBeforeMs, config)
    this.#queues.set(id, queue)
    return queue
  }

  /** Puts a queue where it belongs: into a ring, to the waiting ones, or nowhere. */
  #schedule(queue: FetchQueue): void {
    if (queue.readyEntry !== undefined || queue.abandonedUntilMs !== undefined) return
    if (queue.waiters.length === 0 && queue.items.length === 0) {
      this.#rest(queue)
      return
    }
    if (queue.inFlight >= mostInFlight(queue, this.options.config)) return
    const { config, clock } = this.options
    const nowMs = clock.nowMs()
    const nextMs = queue.politeness?.nextMs ?? 0
    if (nextMs <= nowMs) this.#ready.add(queue)
    else if (nextMs - nowMs > config.maxHoldMs) this.#abandon(queue, 'held')
    else if (!queue.isWaiting || queue.dueMs > nextMs) this.#waiting.add(queue, nextMs)
    else this.#waiting.wakeAt(queue.dueMs) // it may have begun to wait as an idle one
  }

  /** Starts what may start, and takes more queues while there is room. */
  #pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    while (this.#active < this.options.config.maxInFlight) {
      const queue = this.#ready.next(this.#tasks < this.#maxTasks)
      if (queue === undefined) break
      this.#serve(queue)
      this.#schedule(queue)
    }
    this.#isPumping = false
    this.#feed.askQueues()
    if (this.#tasks > 0 || !this.#feed.isOver) return
    this.#waiting.close()
    this.#finish()
  }

  #serve(queue: FetchQueue): void {
    if (queue.abandonedUntilMs !== undefined || queue.inFlight >= mostInFlight(queue, this.options.config)) return
    if ((queue.politeness?.nextMs ?? 0) > this.options.clock.nowMs()) return
    const waiter = queue.waiters.shift()
    if (waiter !== undefined) {
      waiter(this.#turnAt(queue))
      return
    }
    const item = queue.items.pop()
    if (item === undefined) return
    this.#feed.refill(queue)
    this.#startItem(queue, item)
  }

  #startItem(queue: FetchQueue, item: FetchItem): void {
    const turns = new TaskTurns(this.#turnAt(queue), queueId => this.take(queueId))
    this.#tasks += 1
    this.#active += 1
    this.options.startItem(item, turns).then(
      () => this.#endTask(turns),
      error => {
        this.#fail(error)
        this.#endTask(turns)
      },
    )
  }

  #endTask(turns: TaskTurns): void {
    turns.close()
    this.#tasks -= 1
    this.#active -= 1
    this.#pump()
  }

  #turnAt(queue: FetchQueue): Turn {
    queue.inFlight += 1
    let isOver = false
    const release = (report: RequestReport | undefined): void => {
      if (isOver) return
      isOver = true
      queue.inFlight -= 1
      if (report !== undefined) this.#takeReport(queue, report)
      this.#schedule(queue)
      this.#pump()
    }
    return newTurn(queue, this.options.config, release)
  }

  #takeReport(queue: FetchQueue, report: RequestReport): void {
    const { config, clock } = this.options
    const before = queue.politeness
    queue.politeness = afterRequest(before, report, config, clock.grainMs)
    queue.isProbed = true
    if (queue.politeness.isSerial && before?.isSerial !== true) this.options.onCrawlDelay?.()
    if (config.maxExceptions >= 0 && report.isException && queue.politeness.failures >= config.maxExceptions) this.#abandon(queue, 'failures')
  }

  /** Gives a queue up, until it may be asked or its failures are forgotten: its items go back, and those that wait for it get no turn. */
  #abandon(queue: FetchQueue, reason: AbandonedQueue['reason']): void {
    if (queue.abandonedUntilMs !== undefined) return
    const untilMs = (queue.politeness?.nextMs ?? 0) + (reason === 'failures' ? this.options.config.exceptionsClearAfterMs + 1 : 0)
    queue.abandonedUntilMs = untilMs
    const abandoned: AbandonedQueue = { queueId: queue.id, untilMs, reason, givenBack: this.#feed.abandon(queue) }
    this.#abandoned.set(queue.id, abandoned)
    this.options.onAbandoned?.(abandoned)
    refuseWaiters(queue)
  }

  #revive(queue: FetchQueue): void {
    queue.abandonedUntilMs = undefined
    this.#abandoned.delete(queue.id)
  }

  /** A queue with nothing to do asks for more, or is forgotten as soon as its politeness no longer matters. */
  #rest(queue: FetchQueue): void {
    if (queue.isOpen) {
      this.#feed.fill(queue)
      return
    }
    if (queue.inFlight > 0 || queue.isWaiting) return
    const { config, clock } = this.options
    const mattersUntilMs = politenessEndsMs(queue.politeness, this.#queues.size < maxRemembered ? config.exceptionsClearAfterMs : 0)
    if (mattersUntilMs <= clock.nowMs()) this.#queues.delete(queue.id)
    else this.#waiting.add(queue, mattersUntilMs, true)
  }
}
