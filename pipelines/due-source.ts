import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { HeadsCursor, HostCursor } from '../lib/crawldb/due-cursors.js'
import { tables } from '../lib/crawldb/tables.js'
import type { FetchSource } from '../lib/fetch/fetch-source.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import { domainRange, hostOfReversed, reversedHost } from '../lib/record/url-key.js'
import { registeredDomainOf } from '../lib/url/hosts.js'

export interface DueSourceOptions {
  readonly crawlDb: CrawlDb
  readonly mode: 'byHost' | 'byDomain'
  /** The record's own tests: due, not locked, rules. */
  readonly isWanted: (datum: DbDatum) => boolean
  /** How many items may still be taken now; 0 holds the source. */
  readonly budget: () => number
  /** Locks the records and notes them as taken; runs inside the turn of the commit queue that read them. */
  readonly claim: (data: readonly DbDatum[], queueId: string) => Promise<readonly FetchItem[]>
  /** Called when no queue could be given as things stood at `state`; resolves when it is worth looking again, `over` if it never will be. */
  readonly waitForWork: (state: number) => Promise<'look' | 'over'>
  readonly onGivenBack: (items: readonly FetchItem[]) => void
  /** Now, by the clock that delays are counted by. */
  readonly nowMs: () => number
}

/** Keys that are read at once for a queue. */
const readAhead = 4
/** After so many deletions at the head of a host's range each seek there would cost milliseconds. */
const takesBeforeCompaction = 50_000

/** A FetchSource over what the CrawlDb has due: items are locked as they are taken, best first in each queue, queues with the best heads first. */
export class DueSource implements FetchSource {
  readonly #options: DueSourceOptions
  readonly #open = new Set<string>()
  /** Those of them that have given something. */
  readonly #giving = new Set<string>()
  /** Queues that had nothing to give although they have heads: looked at again when the db has changed. */
  readonly #dry = new Set<string>()
  /** Queues that may not be asked yet, with the time when they may, epoch ms. */
  readonly #held = new Map<string, number>()
  readonly #taken = new Map<string, number>()
  #state = 0
  #hasRunDry = false
  /** Where the search for queues goes on: those passed over are many where many hosts are held. It begins anew when the db has changed. */
  #heads: HeadsCursor | undefined

  constructor(options: DueSourceOptions) {
    this.#options = options
  }

  /** Records that were never fetched with success, as far as segments are merged. */
  get remaining(): number {
    return this.#options.crawlDb.state.byStatus.db_unfetched ?? 0
  }

  /** Whether a queue that gave something has had nothing more to give since the last refresh. One whose records are all rejected does not count. */
  get hasRunDry(): boolean {
    return this.#hasRunDry
  }

  /** Grows with each refresh: who looks and finds nothing can tell whether that still stands. */
  get state(): number {
    return this.#state
  }

  /** When the first of the queues that may not be asked yet may be asked, epoch ms; undefined if none is held. */
  get heldUntilMs(): number | undefined {
    let earliestMs: number | undefined
    for (const untilMs of this.#held.values()) if (earliestMs === undefined || untilMs < earliestMs) earliestMs = untilMs
    return earliestMs
  }

  /** Queues that may not be asked yet. */
  get heldQueues(): number {
    return this.#held.size
  }

  /** What was dry may not be any more. */
  refresh(): void {
    this.#dry.clear()
    this.#hasRunDry = false
    this.#heads = undefined
    this.#state++
  }

  async nextQueues(limit: number): Promise<readonly string[]> {
    for (;;) {
      const state = this.#state
      const queues = this.#options.budget() > 0 ? await this.#findQueues(limit) : []
      if (queues.length > 0) return queues
      if ((await this.#options.waitForWork(state)) === 'over') return []
    }
  }

  async take(queueId: string, limit: number): Promise<readonly FetchItem[]> {
    const { crawlDb, budget, claim } = this.#options
    const items = await crawlDb.commits.run(async () => {
      const data = this.#isHeld(queueId) ? [] : await this.#best(queueId, Math.min(limit, this.#share()))
      return data.length === 0 ? [] : claim(data, queueId)
    })
    if (items.length === 0) {
      this.#open.delete(queueId)
      if (this.#giving.delete(queueId)) this.#hasRunDry = true
      if (budget() > 0) this.#dry.add(queueId)
      return items
    }
    this.#giving.add(queueId)
    await this.#compactIfWorn(queueId, items.length)
    return items
  }

  /** What one queue may take: where few pages are left before a limit, the queues share them. */
  #share(): number {
    const budget = this.#options.budget()
    return budget <= 0 ? 0 : Math.max(1, Math.floor(budget / Math.max(1, this.#open.size)))
  }

  giveBack(queueId: string, items: readonly FetchItem[], untilMs?: number): void {
    this.#open.delete(queueId)
    this.#giving.delete(queueId)
    if (untilMs === undefined) this.#dry.add(queueId)
    else this.#held.set(queueId, Math.max(untilMs, this.#held.get(queueId) ?? 0))
    if (items.length > 0) this.#options.onGivenBack(items)
  }

  /** Whether a queue may not be asked yet; forgets that it was held when its time has come. */
  #isHeld(queueId: string): boolean {
    const untilMs = this.#held.get(queueId)
    if (untilMs === undefined) return false
    if (untilMs > this.#options.nowMs()) return true
    this.#held.delete(queueId)
    this.#dry.delete(queueId)
    return false
  }

  /** Up to `limit` queues, from where the last search ended; only a search from the first to the last head finds none. */
  async #findQueues(limit: number): Promise<string[]> {
    const isWhole = this.#heads === undefined
    const found = await this.#findOnward(limit)
    return found.length > 0 || isWhole ? found : this.#findOnward(limit)
  }

  async #findOnward(limit: number): Promise<string[]> {
    const heads = this.#heads ?? new HeadsCursor(this.#options.crawlDb.level)
    this.#heads = heads
    const found: string[] = []
    for (let bucket = await heads.bucket(); bucket !== undefined && found.length < limit; bucket = await heads.bucket()) {
      const cursor = await heads.take(bucket)
      if (cursor === undefined) break
      const queueId = this.#queueOf(hostOfReversed(cursor.host))
      if (this.#open.has(queueId) || this.#isHeld(queueId) || this.#dry.has(queueId)) continue
      this.#open.add(queueId)
      found.push(queueId)
    }
    if (found.length < limit && this.#heads === heads) this.#heads = undefined // at the end: the next search begins anew
    return found
  }

  #queueOf(host: string): string {
    return this.#options.mode === 'byDomain' ? registeredDomainOf(host) : host
  }

  async #best(queueId: string, wanted: number): Promise<DbDatum[]> {
    const { crawlDb, isWanted } = this.#options
    const data: DbDatum[] = []
    for (const host of await this.#hostsOf(queueId)) {
      const cursor = new HostCursor(crawlDb.level, host)
      while (data.length < wanted) {
        const keys = await nextKeys(cursor, Math.max(readAhead, wanted - data.length))
        if (keys.length === 0) break
        for (const datum of await crawlDb.readMany(keys)) {
          if (datum !== undefined && data.length < wanted && isWanted(datum)) data.push(datum)
        }
      }
    }
    return data
  }

  /** The queue's hosts that have something due, as keys spell them. */
  async #hostsOf(queueId: string): Promise<string[]> {
    if (this.#options.mode === 'byHost') return [reversedHost(queueId)]
    const { gte, lt } = domainRange(queueId)
    const keys = this.#options.crawlDb.level.keys({ gte: tables.headof + gte.slice(0, -1), lt: tables.headof + lt })
    return (await keys.all()).map(key => key.slice(tables.headof.length))
  }

  async #compactIfWorn(queueId: string, count: number): Promise<void> {
    const taken = (this.#taken.get(queueId) ?? 0) + count
    if (taken < takesBeforeCompaction) {
      this.#taken.set(queueId, taken)
      return
    }
    this.#taken.delete(queueId)
    const { gte, lt } = domainRange(queueId)
    await this.#options.crawlDb.compact(tables.due, { gte, lt })
  }
}

async function nextKeys(cursor: HostCursor, count: number): Promise<string[]> {
  const keys: string[] = []
  while (keys.length < count) {
    const bucket = await cursor.bucket()
    const key = bucket === undefined ? undefined : await cursor.take(bucket)
    if (key === undefined) break
    keys.push(key)
  }
  return keys
}
