import type { FetchConfig } from '../lib/config/fetch-options.js'
import { afterRequest, type PolitenessState, politenessOf, type QueuePoliteness, unknownPoliteness } from '../lib/fetch/politeness.js'
import type { Turn, Turns } from '../lib/fetch/turns.js'
import type { Clock } from '../lib/log/clock.js'

export interface PoliteTurnsOptions {
  readonly config: FetchConfig
  readonly clock: Clock
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly signal?: AbortSignal | undefined
  /** What an earlier run knew of its queues. */
  readonly politeness?: PolitenessState
  /** Queues that `politeness` does not name are not asked before this time, epoch ms. */
  readonly notBeforeMs?: number | undefined
}

/** Turns for a few requests outside of a crawl's queues: one at a time at each queue, each after the queue's delay. */
export class PoliteTurns implements Turns {
  readonly #options: PoliteTurnsOptions
  readonly #politeness: Map<string, QueuePoliteness>
  readonly #asking = new Set<string>()
  readonly #last = new Map<string, Promise<void>>()

  constructor(options: PoliteTurnsOptions) {
    this.#options = options
    this.#politeness = new Map(Object.entries(options.politeness ?? {}))
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
    const known = this.#known(queueId)
    const waitMs = (known?.nextMs ?? 0) - clock.nowMs()
    if (waitMs > config.maxHoldMs) {
      release()
      return undefined
    }
    if (waitMs > 0) {
      await wait(waitMs, signal).catch(error => {
        release()
        throw error
      })
    }
    this.#asking.add(queueId)
    return {
      queueId,
      dueDelayMs: known?.delayMs ?? 0,
      delaySource: known?.source ?? 'option',
      queueLimit: 1,
      end: report => {
        this.#politeness.set(queueId, afterRequest(this.#politeness.get(queueId), report, config, clock.grainMs))
        this.#asking.delete(queueId)
        release()
      },
      cancel: () => {
        this.#asking.delete(queueId)
        release()
      },
    }
  }

  /** What must be known to go on later without asking a host too early. */
  exportPoliteness(): PolitenessState {
    const nothing: readonly never[] = []
    const ids = new Set([...this.#politeness.keys(), ...this.#asking])
    const queues = [...ids].map(id => ({
      id,
      politeness: this.#politeness.get(id),
      inFlight: this.#asking.has(id) ? 1 : 0,
      items: nothing,
      waiters: nothing,
    }))
    return politenessOf(queues, this.#options.clock.nowMs(), this.#options.config)
  }

  #known(queueId: string): QueuePoliteness | undefined {
    const { notBeforeMs = 0, clock, config } = this.#options
    const known = this.#politeness.get(queueId)
    return known === undefined && notBeforeMs > clock.nowMs() ? unknownPoliteness(notBeforeMs, config) : known
  }
}
