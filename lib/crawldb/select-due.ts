import type { DbDatum } from '../record/records.js'
import { hostOfReversed, reversedHostOfKey } from '../record/url-key.js'
import type { CrawlDb } from './crawl-db.js'
import type { KeysAhead } from './due-ahead.js'
import { type DueGroup, DueGroups } from './due-groups.js'

export interface SelectOptions {
  /** Records to select at most. */
  readonly topN: number
  /** Limit for each group that `groupOf` names; infinite for none. */
  readonly maxPerGroup: (group: string) => number
  /** Host, or its domain. */
  readonly groupOf: (host: string) => string
  /** In place of it where not the host alone says which group a key is in: a host is then not passed over when its group is full. */
  readonly groupOfKey?: ((key: string) => string) | undefined
  /** Records with a lower sort value are not selected. */
  readonly minSortValue: number
  /** The record's own tests: due, not locked, rules, expression, status, interval. Counts what it refuses. */
  readonly isWanted: (datum: DbDatum, sortValue: number) => boolean
  /** Asked last, for a key that is within all other limits: the list that it goes into, or undefined if it is not taken. @defaultValue list 0 */
  readonly place?: (key: string, group: string) => number | undefined
  /** Keys that wait but are to be looked at as if due (`--add-days`). */
  readonly ahead?: KeysAhead | undefined
  readonly signal?: AbortSignal | undefined
}

/** A key that was selected, and the list that it goes into. */
export interface SelectedKey {
  readonly key: string
  readonly list: number
}

/** Values that are read at once. */
const keysPerRead = 4096

/**
 * The keys of the best `topN` records that are due, best first and some at a time: a merge over the heads of the hosts, so that it costs what is selected
 * and what is passed over. Equal sort values alternate between hosts. Nothing is kept for a key, and some bytes for a host.
 */
export function selectDue(crawlDb: CrawlDb, options: SelectOptions): AsyncGenerator<readonly SelectedKey[]> {
  return new Selection(crawlDb, options).run()
}

class Selection {
  readonly #crawlDb: CrawlDb
  readonly #options: SelectOptions
  readonly #countOf = new Map<string, number>()
  #selected = 0

  constructor(crawlDb: CrawlDb, options: SelectOptions) {
    this.#crawlDb = crawlDb
    this.#options = options
  }

  async *run(): AsyncGenerator<readonly SelectedKey[]> {
    const { ahead, minSortValue, signal } = this.#options
    let wave: DueGroup[] = []
    let candidates = 0
    const groups = new DueGroups({
      level: this.#crawlDb.level,
      ahead,
      minSortValue,
      isDone: host => this.#isGroupFull(host),
      wanted: () => this.#options.topN - this.#selected - candidates,
      signal,
    })
    for await (const group of groups) {
      wave.push(group)
      candidates += group.keys.length
      if (candidates < Math.min(this.#options.topN - this.#selected, keysPerRead)) continue
      yield await this.#acceptAll(wave)
      if (this.#isFull()) return
      wave = []
      candidates = 0
    }
    yield await this.#acceptAll(wave)
  }

  #isFull(): boolean {
    return this.#selected >= this.#options.topN
  }

  /** Accepts group after group; the values of all are read together, as there may be very many groups of very few. */
  async #acceptAll(groups: readonly DueGroup[]): Promise<SelectedKey[]> {
    const accepted: SelectedKey[] = []
    const values = new ValuesInOrder(
      this.#crawlDb,
      groups.flatMap(({ keys }) => keys),
    )
    for (const { keys, isInOrder } of groups) {
      if (this.#isFull()) return accepted
      const wanted = await this.#wanted(keys, values)
      if (!isInOrder) wanted.sort((a, b) => b.sortValue - a.sortValue || (a.key < b.key ? -1 : 1))
      for (const { key } of wanted) {
        const list = this.#listOf(key)
        if (list !== undefined) accepted.push({ key, list })
      }
    }
    return accepted
  }

  async #wanted(keys: readonly string[], values: ValuesInOrder): Promise<{ readonly key: string; readonly sortValue: number }[]> {
    const wanted: { key: string; sortValue: number }[] = []
    for (const key of keys) {
      const datum = values.hasNext ? values.next() : await values.read()
      if (datum === undefined || this.#isGroupFull(reversedHostOfKey(key))) continue
      const sortValue = this.#crawlDb.sortValueOf(datum)
      if (sortValue >= this.#options.minSortValue && this.#options.isWanted(datum, sortValue)) wanted.push({ key, sortValue })
    }
    return wanted
  }

  /** Where the key goes if it is taken: it then counts. */
  #listOf(key: string): number | undefined {
    const { place = () => 0, maxPerGroup, groupOfKey } = this.#options
    const group = groupOfKey?.(key) ?? this.#groupOfHost(reversedHostOfKey(key))
    if (this.#isFull() || this.#isFullGroup(group)) return undefined
    const list = place(key, group)
    if (list === undefined) return undefined
    this.#selected++
    if (maxPerGroup(group) !== Number.POSITIVE_INFINITY) this.#countOf.set(group, (this.#countOf.get(group) ?? 0) + 1)
    return list
  }

  #isGroupFull(host: string): boolean {
    return this.#options.groupOfKey === undefined && this.#isFullGroup(this.#groupOfHost(host))
  }

  #isFullGroup(group: string): boolean {
    return (this.#countOf.get(group) ?? 0) >= this.#options.maxPerGroup(group)
  }

  #groupOfHost(reversed: string): string {
    return this.#options.groupOf(hostOfReversed(reversed))
  }
}

/** The records of `keys`, one after the other, of which a part is in memory at a time. */
class ValuesInOrder {
  readonly #crawlDb: CrawlDb
  readonly #keys: readonly string[]
  #start = 0
  #part: readonly (DbDatum | undefined)[] = []
  #index = 0

  constructor(crawlDb: CrawlDb, keys: readonly string[]) {
    this.#crawlDb = crawlDb
    this.#keys = keys
  }

  /** Whether the next is in memory. */
  get hasNext(): boolean {
    return this.#index < this.#part.length
  }

  next(): DbDatum | undefined {
    return this.#part[this.#index++]
  }

  /** The next, with a part of those behind it read. */
  async read(): Promise<DbDatum | undefined> {
    this.#part = await this.#crawlDb.readMany(this.#keys.slice(this.#start, this.#start + keysPerRead))
    this.#start += keysPerRead
    this.#index = 0
    return this.next()
  }
}
