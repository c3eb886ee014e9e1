import type { FetchConfig } from '../config/fetch-options.js'
import type { Clock } from '../log/clock.js'

/** Redirect targets seen lately (Nutch's `fetcher.redirect.dedupcache`). */
export class RecentRedirects {
  readonly #seenMs = new Map<string, number>()
  constructor(
    readonly config: FetchConfig,
    readonly clock: Clock,
  ) {}

  /** Whether the target was seen within the time; from now on it has been. */
  isRepeated(target: string): boolean {
    const { redirectDedupMs, redirectDedupSize } = this.config
    if (redirectDedupMs < 0) return false
    const nowMs = this.clock.nowMs()
    const seenMs = this.#seenMs.get(target)
    if (seenMs !== undefined && nowMs - seenMs <= redirectDedupMs) return true
    this.#seenMs.delete(target)
    this.#seenMs.set(target, nowMs)
    for (const oldest of this.#seenMs.keys()) {
      if (this.#seenMs.size <= redirectDedupSize) break
      this.#seenMs.delete(oldest)
    }
    return false
  }
}
