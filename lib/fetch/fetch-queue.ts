import type { FetchItem } from '../record/records.js'
import type { Due } from './due-heap.js'
import type { QueuePoliteness } from './politeness.js'
import type { Turn } from './turns.js'

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
  /** Given up for this run. */
  isAbandoned: boolean
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
    isAbandoned: false,
    dueMs: 0,
  }
}

/** A place in a ring; void once the queue's `readyEntry` is another. */
export interface ReadyEntry {
  readonly queue: FetchQueue
  readonly isForWaiters: boolean
}
