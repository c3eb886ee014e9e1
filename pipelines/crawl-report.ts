import type { JobContext } from './job.js'

/** Says how many hosts are left although pages of theirs are due: they may not be asked for long. @param firstFreeMs when the first may be, epoch ms */
export function reportHeldQueues({ log, counters }: JobContext, queues: number, firstFreeMs?: number): void {
  counters.add('crawl/queues_held', queues)
  const firstFree = firstFreeMs === undefined ? {} : { firstFree: new Date(firstFreeMs).toISOString() }
  log.warn({ queues, ...firstFree }, 'hosts that may not be asked for long are left for a later run (fetcher.queue.hold.max)')
}
