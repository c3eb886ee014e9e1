/** How one selection is divided over several segments. */
export interface PlacementOptions {
  /** Segments at most. */
  readonly segments: number
  /** URLs of one segment at most. */
  readonly topN: number
  /** URLs of one group (host or domain) in one segment at most. */
  readonly maxPerGroup: (group: string) => number
  /** URLs of one queue in one segment at most, as a time budget allows; unlimited without it. */
  readonly queueLimit?: ((queueId: string) => number) | undefined
}

interface Lot {
  readonly keys: string[]
  readonly ofGroup: Map<string, number>
  readonly ofQueue: Map<string, number>
}

/**
 * Puts keys, as they come best first, each into the first segment that has room for it and its group (Nutch's Generator): so every limit
 * holds in every segment, and what is over in one goes to the next while there are more.
 */
export class ListPlacement {
  readonly #options: PlacementOptions
  readonly #lots: Lot[] = []

  constructor(options: PlacementOptions) {
    this.#options = options
  }

  /** Whether the key found a place. */
  place(key: string, group: string, queueId: string): boolean {
    for (let index = 0; index < this.#options.segments; index++) {
      const lot = this.#lotAt(index)
      if (!this.#hasRoom(lot, group, queueId)) continue
      lot.keys.push(key)
      add(lot.ofGroup, group)
      add(lot.ofQueue, queueId)
      return true
    }
    return false
  }

  /** Keys of each segment that has any. */
  lists(): readonly (readonly string[])[] {
    return this.#lots.map(({ keys }) => keys).filter(keys => keys.length > 0)
  }

  #lotAt(index: number): Lot {
    const known = this.#lots[index]
    if (known !== undefined) return known
    const lot: Lot = { keys: [], ofGroup: new Map(), ofQueue: new Map() }
    this.#lots.push(lot) // segments fill from the first on, so this is the next one
    return lot
  }

  #hasRoom({ keys, ofGroup, ofQueue }: Lot, group: string, queueId: string): boolean {
    const { topN, maxPerGroup, queueLimit } = this.#options
    if (keys.length >= topN || (ofGroup.get(group) ?? 0) >= maxPerGroup(group)) return false
    return queueLimit === undefined || (ofQueue.get(queueId) ?? 0) < queueLimit(queueId)
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
