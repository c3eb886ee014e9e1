/** How one selection is divided over several segments. */
export interface PlacementOptions {
  /** Segments at most. */
  readonly segments: number
  /** URLs of one segment at most. */
  readonly topN: number
  /** URLs of one group (host or domain) in one segment at most; infinite for no limit. */
  readonly maxPerGroup: (group: string) => number
  /** URLs of one queue in one segment at most, as a time budget allows; unlimited without it. */
  readonly queueLimit?: ((queueId: string) => number) | undefined
  readonly queueOf: (key: string) => string
}

interface Lot {
  size: number
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

  /** The segment that takes the key, the first is 0; undefined if none has room. */
  place(key: string, group: string): number | undefined {
    const { queueLimit, queueOf, segments } = this.#options
    const queueId = queueLimit === undefined ? '' : queueOf(key)
    for (let index = 0; index < segments; index++) {
      const lot = this.#lotAt(index)
      if (!this.#hasRoom(lot, group, queueId)) continue
      lot.size++
      if (this.#options.maxPerGroup(group) !== Number.POSITIVE_INFINITY) add(lot.ofGroup, group)
      if (queueLimit !== undefined) add(lot.ofQueue, queueId)
      return index
    }
    return undefined
  }

  #lotAt(index: number): Lot {
    const known = this.#lots[index]
    if (known !== undefined) return known
    const lot: Lot = { size: 0, ofGroup: new Map(), ofQueue: new Map() }
    this.#lots.push(lot) // segments fill from the first on, so this is the next one
    return lot
  }

  #hasRoom({ size, ofGroup, ofQueue }: Lot, group: string, queueId: string): boolean {
    const { topN, maxPerGroup, queueLimit } = this.#options
    if (size >= topN || (ofGroup.get(group) ?? 0) >= maxPerGroup(group)) return false
    return queueLimit === undefined || (ofQueue.get(queueId) ?? 0) < queueLimit(queueId)
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
