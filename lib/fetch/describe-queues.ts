import type { DelaySource } from '../record/records.js'
import type { FetchQueue } from './fetch-queue.js'

/** The queues of a fetch as they are now, and those that wait longest. */
export interface QueueReport {
  readonly active: number
  readonly waiting: number
  /** Those that wait, by where their delay came from. */
  readonly waitingBy: Readonly<Partial<Record<DelaySource, number>>>
  readonly ready: number
  readonly slowest: readonly SlowQueue[]
}

export interface SlowQueue {
  readonly queueId: string
  readonly waitMs: number
  readonly delayMs: number
  readonly source: DelaySource
  readonly failures: number
}

/** Looks at every open queue once. `slowest` is how many of those that wait are named, longest wait first. */
export function describeQueues(queues: Iterable<FetchQueue>, nowMs: number, slowest: number): QueueReport {
  const counts = { active: 0, waiting: 0, ready: 0 }
  const waitingBy: Partial<Record<DelaySource, number>> = {}
  const slow: SlowQueue[] = []
  for (const { id, inFlight, items, waiters, politeness } of queues) {
    if (inFlight > 0) counts.active++
    if (items.length === 0 && waiters.length === 0) continue
    const waitMs = (politeness?.nextMs ?? 0) - nowMs
    if (waitMs <= 0) {
      if (inFlight === 0) counts.ready++
      continue
    }
    counts.waiting++
    const { delayMs = 0, source = 'option', failures = 0 } = politeness ?? {}
    waitingBy[source] = (waitingBy[source] ?? 0) + 1
    if (slowest > 0) slow.push({ queueId: id, waitMs: Math.round(waitMs), delayMs, source, failures })
  }
  return { ...counts, waitingBy, slowest: slow.sort((a, b) => b.waitMs - a.waitMs).slice(0, slowest) }
}
