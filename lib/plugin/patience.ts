/**
 * Waits for what a plugin promised, and not for ever: a plugin that never answers would hold its job, or end the process without a word. The plugin's
 * time stands still while it waits for what it was lent.
 */
export class Patience {
  readonly #limitMs: number
  #timer: NodeJS.Timeout | undefined
  /** There while an answer is awaited. */
  #fail: ((error: Error) => void) | undefined
  #pauses = 0

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /** @throws {Error} if the plugin has not answered in time */
  async answer<T>(promised: T | PromiseLike<T>): Promise<T> {
    const late = new Promise<never>((_, reject) => {
      this.#fail = reject
    })
    this.#start()
    try {
      return await Promise.race([promised, late])
    } finally {
      clearTimeout(this.#timer)
      this.#fail = undefined
    }
  }

  /** Waits for something that the plugin has asked for. */
  async lend<T>(wait: () => Promise<T>): Promise<T> {
    this.#pauses += 1
    clearTimeout(this.#timer)
    try {
      return await wait()
    } finally {
      this.#pauses -= 1
      this.#start()
    }
  }

  #start(): void {
    const fail = this.#fail
    if (fail === undefined || this.#pauses > 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => fail(new Error(`gave no answer in ${this.#limitMs / 1000} s (millrace.plugin.timeout)`)), this.#limitMs)
  }
}
