/** A timer that was started. */
export interface Timer {
  /** Starts its time anew. */
  refresh(): void
  cancel(): void
}

/** Starts timers, and waits. Passed in, so that specs move time themselves. */
export interface Timers {
  start(delayMs: number, fire: () => void): Timer
}

/** Node's timers. They keep the process alive while they run. */
export const systemTimers: Timers = {
  start(delayMs, fire) {
    const timer = setTimeout(fire, Math.min(delayMs, 2_147_483_647)) // Node fires at once for more
    return { refresh: () => void timer.refresh(), cancel: () => clearTimeout(timer) }
  },
}
