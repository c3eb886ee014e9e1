import { setImmediate as nextTurn } from 'node:timers/promises'

/** Lets the event loop turn between decisions that take long, so that timers and sockets never wait for more than a few of them. */
export class Pacer {
  #turnStartMs = performance.now()

  /** @param maxTurnMs how long decisions may follow each other without a turn */
  constructor(readonly maxTurnMs = 50) {}

  /** Whether it is time for a turn. */
  get isDue(): boolean {
    return performance.now() - this.#turnStartMs > this.maxTurnMs
  }

  async turn(): Promise<void> {
    await nextTurn()
    this.#turnStartMs = performance.now()
  }
}
