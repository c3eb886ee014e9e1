import type { Config } from '../lib/config/options.js'
import type { PolitenessState, QueuePoliteness } from '../lib/fetch/politeness.js'
import type { DelaySource } from '../lib/record/records.js'

/** What politeness alone asks of one queue. */
export interface QueuePlan {
  readonly queueId: string
  readonly items: number
  /** Time between two requests. */
  readonly delayMs: number
  readonly delaySource: DelaySource
  /** Until the queue may be asked at all. */
  readonly waitMs: number
  /** From now to the start of the last request. */
  readonly needMs: number
}

/** The plan of a whole list: queues that take longest first. */
export interface ListPlan {
  readonly items: number
  readonly queues: readonly QueuePlan[]
  /** The longest queue's time: no number of machines makes it shorter. */
  readonly needMs: number
}

/** Tells delays of queues as they are known before a fetch. */
export class Planner {
  readonly #config: Config
  readonly #politeness: PolitenessState
  readonly #nowMs: number
  readonly #delayOf: (queueId: string) => number | undefined

  /** @param delayOf delay that generate gives a queue (`generate.fetch.delay.expr`), ms */
  constructor(config: Config, politeness: PolitenessState, nowMs: number, delayOf: (queueId: string) => number | undefined = () => undefined) {
    this.#config = config
    this.#politeness = politeness
    this.#nowMs = nowMs
    this.#delayOf = delayOf
  }

  /** Items of a queue that can be asked for within `budgetMs`. */
  fitting(queueId: string, budgetMs: number): number {
    const { delayMs, waitMs } = this.#delays(queueId)
    if (waitMs > budgetMs) return 0
    return delayMs === 0 ? Number.POSITIVE_INFINITY : (Math.floor((budgetMs - waitMs) / delayMs) + 1) * this.#atOnce(queueId)
  }

  plan(itemsOf: ReadonlyMap<string, number>): ListPlan {
    const queues = [...itemsOf].map(([queueId, items]) => this.#planQueue(queueId, items))
    queues.sort((a, b) => b.needMs - a.needMs || (a.queueId < b.queueId ? -1 : 1))
    return { items: queues.reduce((sum, { items }) => sum + items, 0), queues, needMs: queues[0]?.needMs ?? 0 }
  }

  #planQueue(queueId: string, items: number): QueuePlan {
    const { delayMs, delaySource, waitMs } = this.#delays(queueId)
    const turns = Math.ceil(items / this.#atOnce(queueId))
    return { queueId, items, delayMs, delaySource, waitMs, needMs: waitMs + Math.max(0, turns - 1) * delayMs }
  }

  #delays(queueId: string): Pick<QueuePlan, 'delayMs' | 'delaySource' | 'waitMs'> {
    const known = this.#politeness[queueId]
    const waitMs = Math.max(0, (known?.nextMs ?? 0) - this.#nowMs)
    const { delayMs, delaySource } = this.#usualDelay(queueId, known)
    return { delayMs, delaySource, waitMs }
  }

  /** A Crawl-delay and a throttle stay; what Retry-After and failures added passes. */
  #usualDelay(queueId: string, known: QueuePoliteness | undefined): Pick<QueuePlan, 'delayMs' | 'delaySource'> {
    if (known !== undefined && (known.source === 'crawl-delay' || known.source === 'throttle'))
      return { delayMs: known.delayMs, delaySource: known.source }
    const { delayMs, minDelayMs, maxInFlightPerQueue } = this.#config.fetch
    return { delayMs: this.#delayOf(queueId) ?? (maxInFlightPerQueue > 1 ? minDelayMs : delayMs), delaySource: 'option' }
  }

  #atOnce(queueId: string): number {
    return this.#politeness[queueId]?.isSerial === true ? 1 : this.#config.fetch.maxInFlightPerQueue
  }
}
