/** Counts decisions under stable names such as `inject/rejected`, so that a run accounts for every record. */
export class Counters {
  readonly #counts = new Map<string, number>()

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count)
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** Adds each count of `other` to this one's. */
  merge(other: Readonly<Record<string, number>>): void {
    for (const [name, count] of Object.entries(other)) this.add(name, count)
  }

  /** All counts, names in code-unit order. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
