import { FetchFailure } from './failure.js'
import type { HttpRequest } from './http-result.js'

/** What is known of a request while it is under way. */
export interface Attempt {
  readonly request: HttpRequest
  readonly startMs: number
  readonly startTick: number
  /** Called when the request must end now. */
  cut: ((failure: FetchFailure) => void) | undefined
  /** Set when it was cut before there was anything to cut. */
  cutBy: FetchFailure | undefined
}

/** Ends a request now, wherever it is. */
export function cutNow(attempt: Attempt, failure: FetchFailure): void {
  attempt.cutBy = failure
  attempt.cut?.(failure)
}

const stopped = new FetchFailure('aborted', 'stopped')

/** Cuts requests when their signal aborts. One listener for all requests of a signal, however many there are. */
export class SignalWatch {
  readonly #bySignal = new WeakMap<AbortSignal, Set<Attempt>>()

  add(signal: AbortSignal, attempt: Attempt): void {
    let attempts = this.#bySignal.get(signal)
    if (attempts === undefined) {
      const watched = new Set<Attempt>()
      attempts = watched
      this.#bySignal.set(signal, watched)
      signal.addEventListener('abort', () => {
        for (const one of watched) cutNow(one, stopped)
      })
    }
    attempts.add(attempt)
    if (signal.aborted) cutNow(attempt, stopped)
  }

  delete(signal: AbortSignal, attempt: Attempt): void {
    this.#bySignal.get(signal)?.delete(attempt)
  }
}
