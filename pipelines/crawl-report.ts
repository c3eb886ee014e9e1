import type { FetchAllResult } from '../lib/fetch/fetch-all.js'
import type { AbandonedQueue } from '../lib/fetch/frontier-options.js'
import type { JobContext } from './job.js'

/** Says how many hosts are left although pages of theirs are due: they may not be asked for long. @param firstFreeMs when the first may be, epoch ms */
export function reportHeldQueues({ log, counters }: JobContext, queues: number, firstFreeMs?: number): void {
  counters.add('crawl/queues_held', queues)
  const firstFree = firstFreeMs === undefined ? {} : { firstFree: new Date(firstFreeMs).toISOString() }
  log.warn({ queues, ...firstFree }, 'hosts that may not be asked for long are left for a later run (fetcher.queue.hold.max)')
}

/** Notes that a host is given up for a while: its pages stay due, and without this nobody could tell why they were not fetched. */
export function reportAbandoned({ log, counters }: JobContext, { queueId, reason, untilMs, givenBack }: AbandonedQueue): void {
  const name = reason === 'failures' ? 'fetch/queues_given_up' : 'fetch/queues_held'
  const isFirst = counters.get(name) === 0
  counters.add(name)
  const facts = { queueId, until: new Date(untilMs).toISOString(), givenBack }
  if (reason === 'failures') log[isFirst ? 'warn' : 'debug'](facts, 'given up after failures in a row (fetcher.max.exceptions.per.queue)')
  else log.debug(facts, 'may not be asked for long')
}

const cuts = {
  timeLimit: { by: 'time', reason: 'its time is over (fetcher.timelimit.mins)' },
  throughput: { by: 'throughput', reason: 'too few pages a second (fetcher.throughput.threshold.pages)' },
} as const

/** Says that a fetch ended before all was fetched, where an option made it end. @returns what did */
export function reportCutFetch({ log, counters }: JobContext, stoppedBy: FetchAllResult['stoppedBy']): 'time' | 'throughput' | undefined {
  if (stoppedBy !== 'timeLimit' && stoppedBy !== 'throughput') return undefined
  const { by, reason } = cuts[stoppedBy]
  log.warn({}, `the fetch ends before all is fetched: ${reason}`)
  counters.add(`fetch/ended_by_${by}`)
  return by
}
