/** Tells the time. Everything that asks for the time takes one, so that `--now` and the specs can set it. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

/** A clock that stood at `startMs` when made and runs on from there (`--now T`). */
export function clockStartingAt(startMs: number): Clock {
  const madeAtMs = performance.now()
  return { nowMs: () => startMs + Math.floor(performance.now() - madeAtMs) }
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
