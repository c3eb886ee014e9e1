import type { Timers } from '../../lib/fetch/timers.js'
import { ManualClock } from '../../lib/log/clock.js'

interface Pending {
  dueMs: number
  readonly fire: () => void
}

/** A clock that stands still, and timers that fire when it is moved past them: time passes only as a spec says. */
export class ManualTime extends ManualClock implements Timers {
  readonly #pending = new Set<Pending>()

  start(delayMs: number, fire: () => void) {
    const pending: Pending = { dueMs: this.nowMs() + delayMs, fire }
    this.#pending.add(pending)
    return {
      refresh: () => {
        pending.dueMs = this.nowMs() + delayMs
        this.#pending.add(pending)
      },
      cancel: () => void this.#pending.delete(pending),
    }
  }

  get timersRunning(): number {
    return this.#pending.size
  }

  /** Lets everything happen that needs no time; then moves to the next timer and fires it. False if no timer is left. */
  async step(): Promise<boolean> {
    await settle()
    const next = [...this.#pending].sort((a, b) => a.dueMs - b.dueMs)[0]
    if (next === undefined) return false
    this.#pending.delete(next)
    this.set(Math.max(this.nowMs(), next.dueMs))
    next.fire()
    return true
  }

  /** Steps until `promise` is settled. */
  async runUntil<T>(promise: Promise<T>, maxSteps = 1_000_000): Promise<T> {
    let isSettled = false
    const mark = (): void => {
      isSettled = true
    }
    promise.then(mark, mark)
    for (let steps = 0; !isSettled; steps++) {
      if (steps > maxSteps) throw new Error(`not settled after ${maxSteps} timers`)
      if (!(await this.step())) await settle()
      if (!isSettled && this.#pending.size === 0) await new Promise(resolve => setImmediate(resolve))
    }
    return promise
  }
}

/** Lets promise callbacks run that are ready now. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await Promise.resolve()
}
