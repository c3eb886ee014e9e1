import type { SelectedKey } from '../lib/crawldb/select-due.js'
import { reversedHostOfKey } from '../lib/record/url-key.js'
import { UrlSet } from '../lib/segment/url-set.js'
import { SortedUpdates, type SortedUpdatesOptions } from '../lib/store/sorted-updates.js'

/** Keys of one list that come next in it. */
export interface ListPart {
  readonly list: number
  readonly keys: readonly string[]
}

const hexDigits = { list: 6, rank: 8, place: 12 }

/**
 * Puts selected keys into the order of fetch lists, in which hosts alternate: the first of each host, then the second of each, … in the order in which they
 * were added. Sorts on disk: in memory are about 30 bytes for each host of a list.
 */
export class ListOrder {
  readonly #sorted: SortedUpdates
  readonly #hosts = new UrlSet()
  /** By the number of a host of a list: how many keys it has. */
  #counts = new Uint32Array(1024)

  constructor(options: SortedUpdatesOptions) {
    this.#sorted = new SortedUpdates(options)
  }

  get size(): number {
    return this.#sorted.count
  }

  async add(selected: readonly SelectedKey[]): Promise<void> {
    const first = this.size
    await this.#sorted.add(
      selected.map(({ key, list }, index) => ({
        key: hex(list, hexDigits.list) + hex(this.#rankOf(key, list), hexDigits.rank) + hex(first + index, hexDigits.place),
        payload: key,
      })),
    )
  }

  /** The lists, one after the other. */
  async *parts(keysPerPart: number): AsyncGenerator<ListPart> {
    for await (const groups of this.#sorted.batches(keysPerPart)) {
      const keysOf = new Map<number, string[]>()
      for (const { key, payloads } of groups) {
        const list = Number.parseInt(key.slice(0, hexDigits.list), 16)
        const keys = keysOf.get(list)
        if (keys === undefined) keysOf.set(list, [...payloads])
        else keys.push(...payloads)
      }
      for (const [list, keys] of keysOf) yield { list, keys }
    }
  }

  /** Removes what was written to disk. */
  async dispose(): Promise<void> {
    await this.#sorted.dispose()
  }

  /** How many keys the list has of that host. */
  #rankOf(key: string, list: number): number {
    const host = `${list} ${reversedHostOfKey(key)}`
    this.#hosts.add(host)
    const number = this.#hosts.numberOf(host) ?? 0 // it was added
    if (number === this.#counts.length) {
      const counts = new Uint32Array(number * 2)
      counts.set(this.#counts)
      this.#counts = counts
    }
    const rank = this.#counts[number] ?? 0
    this.#counts[number] = rank + 1
    return rank
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
