/** First in, first out, without moving what is left. */
export class Ring<T> {
  #items: T[] = []
  #start = 0

  get size(): number {
    return this.#items.length - this.#start
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#start]
    this.#start += 1
    if (this.#start > 1024 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start)
      this.#start = 0
    }
    return item
  }
}
