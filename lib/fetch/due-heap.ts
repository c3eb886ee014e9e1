/** Something that is due at a time. */
export interface Due {
  /** Epoch ms. */
  dueMs: number
}

/** A binary heap: the earliest first, of equal ones the one put in first. */
export class DueHeap<T extends Due> {
  readonly #entries: { readonly item: T; readonly dueMs: number; readonly order: number }[] = []
  #order = 0

  get size(): number {
    return this.#entries.length
  }

  /** When the earliest is due, or undefined if there is none. */
  get earliestMs(): number | undefined {
    return this.#entries[0]?.dueMs
  }

  push(item: T): void {
    const entries = this.#entries
    const entry = { item, dueMs: item.dueMs, order: this.#order++ }
    let at = entries.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = entries[parent]
      if (above === undefined || !isBefore(entry, above)) break
      entries[at] = above
      at = parent
    }
    entries[at] = entry
  }

  /** Takes the earliest out. */
  pop(): T | undefined {
    const entries = this.#entries
    const first = entries[0]
    const last = entries.pop()
    if (first === undefined || last === undefined || entries.length === 0) return first?.item
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      const leftEntry = entries[left]
      if (leftEntry === undefined) break
      const rightEntry = entries[right]
      const isRight = rightEntry !== undefined && isBefore(rightEntry, leftEntry)
      const child = isRight ? rightEntry : leftEntry
      if (!isBefore(child, last)) break
      entries[at] = child
      at = isRight ? right : left
    }
    entries[at] = last
    return first.item
  }
}

function isBefore(a: { dueMs: number; order: number }, b: { dueMs: number; order: number }): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order)
}
