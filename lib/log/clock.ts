/** Tells the time. Everything that asks for the time takes one, so that `--now` and the specs can set it. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number
}

/** The clock of the machine. */
export const systemClock: Clock = { nowMs: () => Date.now() }

/** A clock that says `startMs` when it is first asked and runs on from there (`--now T`): a job that asks first thing is of time T exactly, so that
 *  running it again gives the same bytes. */
export function clockStartingAt(startMs: number): Clock {
  let firstAskedMs: number | undefined
  return {
    nowMs() {
      const askedMs = performance.now()
      firstAskedMs ??= askedMs
      return startMs + Math.floor(askedMs - firstAskedMs)
    },
  }
}

/** A clock that stands still until it is set: for specs and replays. */
export class ManualClock implements Clock {
  #nowMs: number
  constructor(startMs: number) {
    this.#nowMs = startMs
  }
  nowMs(): number {
    return this.#nowMs
  }
  set(nowMs: number): void {
    this.#nowMs = nowMs
  }
  advance(byMs: number): void {
    this.#nowMs += byMs
  }
}
