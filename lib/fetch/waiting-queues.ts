import type { Clock } from '../log/clock.js'
import { DueHeap } from './due-heap.js'
import type { FetchQueue } from './fetch-queue.js'
import type { Timer, Timers } from './timers.js'

/** Queues that wait for their time: a heap, and one timer for the earliest. */
export class WaitingQueues {
  readonly #heap = new DueHeap<FetchQueue>()
  #timer: Timer | undefined
  #timerMs = Number.POSITIVE_INFINITY

  constructor(
    readonly clock: Clock,
    readonly timers: Timers,
    /** Called with each queue when it is due. */
    readonly onDue: (queue: FetchQueue) => void,
    /** Called after all that were due at one time. */
    readonly onWoken: () => void,
  ) {}

  /** Lets the queue wait until `dueMs`. Nobody is woken only for a queue that is `idle`: it is looked at when another one is due. */
  add(queue: FetchQueue, dueMs: number, isIdle = false): void {
    queue.dueMs = dueMs
    queue.isWaiting = true
    this.#heap.push(queue)
    if (!isIdle) this.wakeAt(dueMs)
  }

  close(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Has the queues looked at no later than this. */
  wakeAt(atMs: number): void {
    if (atMs >= this.#timerMs) return
    this.#timer?.cancel()
    this.#timerMs = atMs
    this.#timer = this.timers.start(Math.max(1, atMs - this.clock.nowMs()), () => this.#wake())
  }

  #wake(): void {
    this.#timerMs = Number.POSITIVE_INFINITY
    const nowMs = this.clock.nowMs()
    for (let earliestMs = this.#heap.earliestMs; earliestMs !== undefined && earliestMs <= nowMs; earliestMs = this.#heap.earliestMs) {
      const queue = this.#heap.pop()
      if (queue === undefined) break
      queue.isWaiting = false
      this.onDue(queue)
    }
    const nextMs = this.#heap.earliestMs
    if (nextMs !== undefined) this.wakeAt(nextMs)
    this.onWoken()
  }
}
