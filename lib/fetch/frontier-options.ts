import type { FetchConfig } from '../config/fetch-options.js'
import type { Clock } from '../log/clock.js'
import type { FetchItem } from '../record/records.js'
import type { FetchSource } from './fetch-source.js'
import type { PolitenessState } from './politeness.js'
import type { Timers } from './timers.js'
import type { Turns } from './turns.js'

export interface AbandonedQueue {
  readonly queueId: string
  /** When it may be asked again, epoch ms. */
  readonly untilMs: number
  /** `held`: not to be asked for longer than `fetcher.queue.hold.max`; `failures`: too many in a row. */
  readonly reason: 'held' | 'failures'
  /** Items given back that were in memory; more may be on disk. */
  readonly givenBack: number
}

export interface FrontierOptions {
  readonly source: FetchSource
  readonly config: FetchConfig
  readonly clock: Clock
  readonly timers: Timers
  readonly politeness?: PolitenessState | undefined
  /** No queue that `politeness` does not name is asked before this time, epoch ms: a run that was killed may have asked it just now. */
  readonly notBeforeMs?: number | undefined
  /** Called when a queue turns out to keep a Crawl-delay, which only its robots.txt tells. */
  readonly onCrawlDelay?: (() => void) | undefined
  /** Called when a queue is given up for a while. */
  readonly onAbandoned?: ((queue: AbandonedQueue) => void) | undefined
  /** Fetches an item; the turn that `turns` gives first at the item's queue is there already. Resolves when its slot is free again. */
  readonly startItem: (item: FetchItem, turns: Turns) => Promise<void>
}
