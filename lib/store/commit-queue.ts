/** Runs tasks one after the other, in the order given: all writes of a process to one database go through one of these. */
export class CommitQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `task` when those before it have ended, well or not; its result or error is the caller's. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task, task)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Resolves when every task given so far has ended. */
  async drained(): Promise<void> {
    await this.#last
  }
}
