/** Tells the time. Everything that asks for the time takes one, so that `--now` and the specs can set it. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number
  /** How much later than it says it may be: what it cuts off. @defaultValue 0 */
  readonly grainMs?: number
}

/** The clock of the machine. */
export const systemClock: Clock = { nowMs: () => Date.now(), grainMs: 1 }

/** From so much on a difference to the monotonic clock is a clock that was set, or a machine that slept, and not one that runs a little fast or slow. */
const leastStepMs = 1000

/**
 * The machine's clock for delays: where that is set, to whatever time, this one goes on as if it had not been, so that no host is asked too soon and
 * none is waited for until the old time comes back.
 */
export function steadyClock(clock: Clock = systemClock, tickMs: () => number = () => performance.now()): Clock {
  let last: { readonly clockMs: number; readonly tickMs: number } | undefined
  let setByMs = 0
  return {
    grainMs: 1,
    nowMs() {
      const now = { clockMs: clock.nowMs(), tickMs: tickMs() }
      const stepMs = last === undefined ? 0 : now.clockMs - last.clockMs - (now.tickMs - last.tickMs)
      if (Math.abs(stepMs) >= leastStepMs) setByMs += Math.round(stepMs)
      last = now
      return now.clockMs - setByMs
    },
  }
}

/** What makes the machine's time of times by `clock`; 0 where they differ by no more than the moment between two looks. */
export function machineOffsetMs(clock: Clock): number {
  const offsetMs = systemClock.nowMs() - clock.nowMs()
  return Math.abs(offsetMs) < leastStepMs ? 0 : offsetMs
}

/** A clock that says `startMs` when it is first asked and runs on from there (`--now T`): a job that asks first thing is of time T exactly, so that
 *  running it again gives the same bytes. */
export function clockStartingAt(startMs: number): Clock {
  let firstAskedMs: number | undefined
  return {
    grainMs: 1,
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
