import type { FetchConfig } from '../config/fetch-options.js'
import type { Timer, Timers } from './timers.js'

/**
 * Calls `onSlow` once the pages of the last second were fewer than `fetcher.throughput.threshold.pages` more often than
 * `fetcher.throughput.threshold.retries`, looked at each second from `…check.after` on. Gives a function that ends the watch.
 */
export function watchThroughput(
  { thresholdPages, thresholdRetries, thresholdCheckAfterMs }: FetchConfig,
  { timers, pages, onSlow }: { readonly timers: Timers; readonly pages: () => number; readonly onSlow: () => void },
): () => void {
  if (thresholdPages <= 0) return () => undefined
  let timer: Timer
  let seen = 0
  let slowLooks = 0
  const look = (): void => {
    const fetched = pages() - seen
    seen += fetched
    if (fetched < thresholdPages) slowLooks += 1
    if (slowLooks > thresholdRetries) onSlow()
    else timer = timers.start(1000, look)
  }
  timer = timers.start(Math.max(1000, thresholdCheckAfterMs), () => {
    seen = pages()
    timer = timers.start(1000, look)
  })
  return () => timer.cancel()
}
