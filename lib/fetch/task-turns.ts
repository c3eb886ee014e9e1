import type { Turn, Turns } from './turns.js'

/** The turns of one fetch: the first is there already, and it holds one at a time. */
export class TaskTurns implements Turns {
  #held: Turn | undefined
  #isFresh = true

  constructor(
    /** None for a task that begins without a turn. */
    first: Turn | undefined,
    readonly takeNext: (queueId: string) => Promise<Turn | undefined>,
  ) {
    this.#held = first
  }

  async take(queueId: string): Promise<Turn | undefined> {
    const isFirst = this.#isFresh && this.#held?.queueId === queueId
    this.#isFresh = false
    if (isFirst) return this.#held
    this.#held?.cancel()
    this.#held = undefined
    this.#held = await this.takeNext(queueId)
    return this.#held
  }

  /** The fetch is over. A turn that it did not end would block its queue. */
  close(): void {
    this.#held?.cancel()
  }
}
