import type { FetchConfig } from '../lib/config/fetch-options.js'
import { afterRequest, type QueuePoliteness } from '../lib/fetch/politeness.js'
import type { Turn, Turns } from '../lib/fetch/turns.js'
import type { Clock } from '../lib/log/clock.js'

export interface PoliteTurnsOptions {
  readonly config: FetchConfig
  readonly clock: Clock
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly signal?: AbortSignal | undefined
}

/** Turns for a few requests outside of a crawl's queues: one at a time at each queue, each after the queue's delay. */
export class PoliteTurns implements Turns {
  readonly #options: PoliteTurnsOptions
  readonly #politeness = new Map<string, QueuePoliteness>()
  readonly #last = new Map<string, Promise<void>>()

  constructor(options: PoliteTurnsOptions) {
    this.#options = options
  }

  /** Undefined if the queue may not be asked within `fetcher.queue.hold.max`. */
  async take(queueId: string): Promise<Turn | undefined> {
    let release = (): void => undefined
    const before = this.#last.get(queueId) ?? Promise.resolve()
    const mine = new Promise<void>(resolve => {
      release = resolve
    })
    this.#last.set(queueId, mine)
    await before
    const { config, clock, wait, signal } = this.#options
    const known = this.#politeness.get(queueId)
    const waitMs = (known?.nextMs ?? 0) - clock.nowMs()
    if (waitMs > config.maxHoldMs) {
      release()
      return undefined
    }
    if (waitMs > 0) await wait(waitMs, signal)
    return {
      queueId,
      dueDelayMs: known?.delayMs ?? 0,
      delaySource: known?.source ?? 'option',
      end: report => {
        this.#politeness.set(queueId, afterRequest(this.#politeness.get(queueId), report, config))
        release()
      },
      cancel: release,
    }
  }
}
