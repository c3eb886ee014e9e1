/** A timer that was started. */
export interface Timer {
  /** Starts its time anew. */
  refresh(): void
  cancel(): void
}

/** Starts timers. Passed in, so that specs move time themselves. */
export interface Timers {
  start(delayMs: number, fire: () => void): Timer
}

/**
 * Node's timers, which keep the process alive while they run. Before one fires, what has already arrived is read: a busy moment of this process must not
 * look like a silent server.
 */
export const systemTimers: Timers = {
  start(delayMs, fire) {
    let atEndOfTurn: NodeJS.Immediate | undefined
    const onTime = (): void => {
      atEndOfTurn = setImmediate(fire)
    }
    const timer = setTimeout(onTime, Math.min(delayMs, 2_147_483_647)) // Node fires at once for more
    return {
      refresh: () => {
        clearImmediate(atEndOfTurn)
        timer.refresh()
      },
      cancel: () => {
        clearImmediate(atEndOfTurn)
        clearTimeout(timer)
      },
    }
  },
}
