import type { FetchConfig } from '../config/fetch-options.js'
import type { FetchItem } from '../record/records.js'
import type { Due } from './due-heap.js'
import type { QueuePoliteness } from './politeness.js'
import type { RequestReport, Turn } from './turns.js'

/** What the frontier keeps in memory of one queue (Nutch's FetchItemQueue). */
export interface FetchQueue extends Due {
  readonly id: string
  /** Items in memory, the next one last. */
  items: FetchItem[]
  /** Fetches that wait for another turn here; they go before new items. */
  readonly waiters: ((turn: Turn | undefined) => void)[]
  inFlight: number
  politeness: QueuePoliteness | undefined
  /** Whether a request to it has ended, so that its robots.txt is known: before that, one request at a time. */
  isProbed: boolean
  /** Whether the source gave it, and has not said that it is dry. */
  isOpen: boolean
  isFilling: boolean
  /** Its place among the queues that may be asked now. */
  readyEntry: ReadyEntry | undefined
  isWaiting: boolean
  /** Given up until then, epoch ms, or until the source gives it again; undefined if it is not given up. */
  abandonedUntilMs: number | undefined
}

export function newFetchQueue(id: string): FetchQueue {
  return {
    id,
    items: [],
    waiters: [],
    inFlight: 0,
    politeness: undefined,
    isProbed: false,
    isOpen: false,
    isFilling: false,
    readyEntry: undefined,
    isWaiting: false,
    abandonedUntilMs: undefined,
    dueMs: 0,
  }
}

/** Requests that may be in flight at once: one until its robots.txt is known, and where that states a Crawl-delay. */
export function mostInFlight({ isProbed, politeness }: FetchQueue, { maxInFlightPerQueue }: FetchConfig): number {
  return !isProbed || politeness?.isSerial === true ? 1 : maxInFlightPerQueue
}

/** A turn at the queue, which `release` ends: with a report if a request was sent. */
export function newTurn(queue: FetchQueue, config: FetchConfig, release: (report: RequestReport | undefined) => void): Turn {
  const { delayMs = 0, source = 'option' } = queue.politeness ?? {}
  const queueLimit = mostInFlight(queue, config)
  return { queueId: queue.id, dueDelayMs: delayMs, delaySource: source, queueLimit, end: release, cancel: () => release(undefined) }
}

/** Tells the fetches that wait for a turn at the queue that there is none to be had. */
export function refuseWaiters({ waiters }: FetchQueue): void {
  for (const waiter of waiters.splice(0)) waiter(undefined)
}

/** A place in a ring; void once the queue's `readyEntry` is another. */
export interface ReadyEntry {
  readonly queue: FetchQueue
  readonly isForWaiters: boolean
}
