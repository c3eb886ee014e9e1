const longestTimerMs = 2 ** 31 - 1

/** Lets one waiter sleep until something has happened, or a time has passed. A wake that nobody waits for is kept for the next. */
export class Wakeup {
  #isDue = false
  #resolve: (() => void) | undefined

  wake(): void {
    this.#isDue = true
    this.#resolve?.()
  }

  async wait(atMostMs: number = Number.POSITIVE_INFINITY): Promise<void> {
    if (!this.#isDue) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>(resolve => {
        this.#resolve = resolve
        if (atMostMs < Number.POSITIVE_INFINITY) timer = setTimeout(resolve, Math.min(atMostMs, longestTimerMs))
      })
      clearTimeout(timer)
      this.#resolve = undefined
    }
    this.#isDue = false
  }
}
