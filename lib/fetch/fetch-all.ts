import type { FetchConfig } from '../config/fetch-options.js'
import { messageOf } from '../errors/crawl-error.js'
import type { Clock } from '../log/clock.js'
import type { FetchedPage } from '../record/exchange.js'
import type { FetchItem } from '../record/records.js'
import { describeQueues, type QueueReport } from './describe-queues.js'
import type { FetchSource } from './fetch-source.js'
import { Frontier } from './frontier.js'
import type { AbandonedQueue } from './frontier-options.js'
import { outcomeWithoutRequest } from './outcome.js'
import type { PageFetcher } from './page-fetcher.js'
import type { PolitenessState } from './politeness.js'
import { watchThroughput } from './throughput-watch.js'
import { systemTimers, type Timers } from './timers.js'
import type { Turns } from './turns.js'

export interface FetchAllOptions {
  readonly source: FetchSource
  readonly fetcher: Pick<PageFetcher, 'fetchItem'>
  readonly config: FetchConfig
  readonly clock: Clock
  /** @defaultValue Node's timers */
  readonly timers?: Timers
  /** What an earlier run knew of its queues. */
  readonly politeness?: PolitenessState
  /** Queues that `politeness` does not name are not asked before this time, epoch ms. */
  readonly notBeforeMs?: number | undefined
  /** Called when a queue turns out to keep a Crawl-delay: what is exported since then names it. */
  readonly onCrawlDelay?: () => void
  /** Called when a queue is given up for a while: after failures in a row, or since it may not be asked for long. */
  readonly onAbandoned?: (queue: AbandonedQueue) => void
  /** No new item is taken after this time; -1 is no limit (`fetcher.timelimit.mins`). */
  readonly timeLimitMs?: number
  /** Aborts what is in flight: those items end as outcomes with the cause `stopped`. */
  readonly signal?: AbortSignal
  /** Takes no new item; what is in flight is finished. */
  readonly stopTaking?: AbortSignal
  /** Takes a page over; its slot is free when the promise resolves. Called for all pages of an item at once, the last one first. */
  readonly onPage: (page: FetchedPage) => Promise<void>
  /** Called when all pages of an item are taken over. Items that are given back do not end. */
  readonly onItemDone?: (item: FetchItem) => void
  /** Called once, with what shows and changes the state of the run. */
  readonly onStart?: (run: FetchRun) => void
}

/** A fetch under way. */
export interface FetchRun {
  /** Politeness as it is now, for a checkpoint. */
  exportPoliteness(): PolitenessState
  /** Runs a fetch of pages that are no items: it takes turns at the queues as the items do, and the run lasts until it has ended. */
  runTask(task: (turns: Turns) => Promise<void>): Promise<void>
  /** Fetches under way. */
  inFlight(): number
  /** Items that the source has not given yet, where it knows. */
  queued(): number | undefined
  /** Counts of queues, and those that wait longest. */
  queues(slowest: number): QueueReport
}

export interface FetchAllResult {
  /** Items that ended as an outcome. */
  readonly items: number
  /** Pages handed to `onPage`: items, and what redirects led to. */
  readonly pages: number
  /** Items that were taken and given back. */
  readonly givenBack: number
  /** Queues that were left for a later run. */
  readonly abandoned: readonly AbandonedQueue[]
  readonly politeness: PolitenessState
  /** Why it ended before the source was empty. */
  readonly stoppedBy?: 'signal' | 'stopTaking' | 'timeLimit' | 'throughput'
}

/**
 * Fetches all that a source has, politely: `fetcher.threads.fetch` at a time in all, each queue by its delay. Every item taken ends as exactly one
 * outcome or is given back. Rejects only for what is no page's fault: a source or `onPage` that failed.
 */
export async function fetchAll(options: FetchAllOptions): Promise<FetchAllResult> {
  const { source, fetcher, config, clock, timers = systemTimers, signal, stopTaking, timeLimitMs = -1 } = options
  const counts = { items: 0, pages: 0, givenBack: 0 }
  let stoppedBy: FetchAllResult['stoppedBy']
  const startItem = async (item: FetchItem, turns: Turns): Promise<void> => {
    const pages = await fetchSafely(fetcher, item, turns, { clock, signal })
    if (pages.length === 0) {
      counts.givenBack += 1
      // Not its own queue's fault, or that would have been given up: it must not come back at once.
      source.giveBack?.(item.queueId, [item], stoppedBy === undefined ? clock.nowMs() + config.maxHoldMs : undefined)
      return
    }
    counts.items += 1
    counts.pages += pages.length
    // Together, and where redirects lead before the redirects: a kill then leaves the whole item to be fetched again, and no redirect without its target.
    await Promise.all([...pages].reverse().map(page => options.onPage(page)))
    options.onItemDone?.(item)
  }
  const counting: FetchSource = {
    nextQueues: limit => source.nextQueues(limit),
    take: (queueId, limit) => source.take(queueId, limit),
    giveBack: (queueId, items, untilMs) => {
      counts.givenBack += items.length
      source.giveBack?.(queueId, items, untilMs)
    },
  }
  const { politeness, notBeforeMs, onCrawlDelay, onAbandoned } = options
  const frontier = new Frontier({ source: counting, config, clock, timers, politeness, notBeforeMs, onCrawlDelay, onAbandoned, startItem })
  const stop = (reason: FetchAllResult['stoppedBy']) => (): void => {
    stoppedBy ??= reason
    frontier.stop()
  }
  const ends = [onAbort(signal, stop('signal')), onAbort(stopTaking, stop('stopTaking'))]
  if (timeLimitMs >= 0) ends.push(startTimer(timers, timeLimitMs, stop('timeLimit')))
  ends.push(watchThroughput(config, { timers, pages: () => counts.pages, onSlow: stop('throughput') }))
  options.onStart?.({
    exportPoliteness: () => frontier.exportPoliteness(),
    runTask: task => frontier.runTask(task),
    inFlight: () => frontier.tasks,
    queued: () => source.remaining,
    queues: slowest => describeQueues(frontier.queues, clock.nowMs(), slowest),
  })
  try {
    frontier.start()
    await frontier.finished
  } catch (error) {
    frontier.stop()
    throw error
  } finally {
    for (const end of ends) end()
  }
  return { ...counts, abandoned: frontier.abandoned, politeness: frontier.exportPoliteness(), ...(stoppedBy === undefined ? {} : { stoppedBy }) }
}

/** A bug while fetching one page costs that page, not the run. */
async function fetchSafely(
  fetcher: Pick<PageFetcher, 'fetchItem'>,
  item: FetchItem,
  turns: Turns,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<readonly FetchedPage[]> {
  try {
    return await fetcher.fetchItem(item, turns, signal)
  } catch (error) {
    const said = { status: 'fetch_retry', protocolStatus: 'failed', cause: messageOf(error), causeClass: 'bug' } as const
    return [{ outcome: outcomeWithoutRequest(item, clock.nowMs(), said), exchanges: [] }]
  }
}

function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined) return () => undefined
  if (signal.aborted) act()
  signal.addEventListener('abort', act)
  return () => signal.removeEventListener('abort', act)
}

function startTimer(timers: Timers, delayMs: number, act: () => void): () => void {
  const timer = timers.start(delayMs, act)
  return () => timer.cancel()
}
