const bucketMs = 1000

/** Counts events over the last seconds, in memory that does not grow. */
export class RateWindow {
  readonly #counts: number[]
  readonly #startMs: number
  #lastBucket = 0

  /** `nowMs` is any clock that does not go back, such as performance.now(). */
  constructor(
    readonly nowMs: () => number,
    readonly seconds = 10,
  ) {
    this.#counts = new Array<number>(seconds).fill(0)
    this.#startMs = nowMs()
  }

  add(count = 1): void {
    const slot = this.#advance() % this.seconds
    this.#counts[slot] = (this.#counts[slot] ?? 0) + count
  }

  /** Events per second over the window, or over what has passed of it. */
  perSecond(): number {
    this.#advance()
    const passedMs = Math.max(bucketMs, Math.min(this.nowMs() - this.#startMs, this.seconds * bucketMs))
    return (this.#counts.reduce((sum, count) => sum + count, 0) * 1000) / passedMs
  }

  #advance(): number {
    const bucket = Math.floor((this.nowMs() - this.#startMs) / bucketMs)
    for (let passed = this.#lastBucket + 1; passed <= bucket && passed <= this.#lastBucket + this.seconds; passed++)
      this.#counts[passed % this.seconds] = 0
    this.#lastBucket = Math.max(bucket, this.#lastBucket)
    return this.#lastBucket
  }
}
