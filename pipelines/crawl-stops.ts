import { endsRound } from './fetch.js'

export interface CrawlStopsOptions {
  /** The user's wish to stop. */
  readonly stop: AbortSignal
  readonly maxTimeMs?: number | undefined
  /** How long what is in flight may take after that. */
  readonly graceMs: number
}

/** Ends a crawl from outside: by a signal or by its time. Nothing new is taken then, and when the grace time is over what is in flight is aborted. */
export class CrawlStops {
  readonly #taking = new AbortController()
  readonly #flying = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #options: CrawlStopsOptions
  readonly #onStop = (): void => this.#end('signal')
  #reason: 'signal' | 'time' | undefined

  constructor(options: CrawlStopsOptions) {
    this.#options = options
    if (options.stop.aborted) this.#onStop()
    else options.stop.addEventListener('abort', this.#onStop, { once: true })
    if (options.maxTimeMs !== undefined) this.#timers.push(setTimeout(() => this.#end('time'), options.maxTimeMs))
  }

  /** Aborted when nothing new is to be taken. */
  get stopTaking(): AbortSignal {
    return this.#taking.signal
  }

  /** Aborted when the grace time is over. */
  get abort(): AbortSignal {
    return this.#flying.signal
  }

  get reason(): 'signal' | 'time' | undefined {
    return this.#reason
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#options.stop.removeEventListener('abort', this.#onStop)
  }

  #end(reason: 'signal' | 'time'): void {
    this.#reason ??= reason
    this.#taking.abort(endsRound)
    const abort = (): void => this.#flying.abort(new Error('the grace time is over'))
    this.#timers.push(setTimeout(abort, this.#options.graceMs))
  }
}
