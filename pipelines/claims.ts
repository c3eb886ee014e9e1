import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { type Lock, lockDatum, unlockDatum } from '../lib/crawldb/lock.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import { keyOfUrl } from '../lib/record/url-key.js'
import type { JobContext } from './job.js'
import type { OpenSegment } from './open-segment.js'

/** The items that a continuous crawl has taken, and the locks that they stand under. */
export class Claims {
  /** Items without an outcome, by URL. */
  readonly #locked = new Map<string, FetchItem>()
  #unfinished = 0
  #releasing: Promise<void> = Promise.resolve()

  constructor(
    readonly crawlDb: CrawlDb,
    readonly context: JobContext,
  ) {}

  /** Items taken whose fetch has not come to its end, redirects that it follows included. */
  get unfinished(): number {
    return this.#unfinished
  }

  /** Locks records for a segment; inside a turn of the commit queue. The list is written before the locks, so that no lock is without its list. */
  async take(data: readonly DbDatum[], queueId: string, segment: OpenSegment): Promise<readonly FetchItem[]> {
    const { schedule, clock } = this.context
    const lock = this.#lockFor(segment)
    const items = data.map((datum): FetchItem => {
      return { url: datum.url, datum: lockDatum(schedule.asDue(datum, clock.nowMs()), lock), queueId, segment: segment.name }
    })
    await segment.noteTaken(items)
    await this.crawlDb.commit(data.map(old => ({ key: keyOfUrl(old.url), old, next: lockDatum(old, lock) })))
    for (const item of items) this.#locked.set(item.url, item)
    this.#unfinished += items.length
    return items
  }

  /** Whether the URL is taken and has no outcome yet. */
  has(url: string): boolean {
    return this.#locked.has(url)
  }

  /** An outcome of this URL is being stored: it takes the lock away when it is merged. */
  answered(url: string): void {
    this.#locked.delete(url)
  }

  /** All that came of an item is stored. */
  finished({ url }: FetchItem): void {
    this.#locked.delete(url)
    this.#unfinished--
  }

  /** Takes the locks of items away that were not fetched: they are due as before. Settles when they are. */
  release(items: readonly FetchItem[]): Promise<void> {
    const releasing = this.crawlDb.commits.run(async () => {
      for (const { url } of items) this.#locked.delete(url)
      await this.#relock(items, unlockDatum)
      this.#unfinished -= items.length
    })
    this.#releasing = Promise.all([this.#releasing, releasing.catch(() => undefined)]).then(() => undefined)
    return releasing
  }

  /** Resolves when no release is under way. */
  async released(): Promise<void> {
    await this.#releasing
  }

  /** Moves what has no outcome to another segment, with its locks; inside a turn of the commit queue. */
  async moveTo(next: OpenSegment): Promise<void> {
    const moved = [...this.#locked.values()].map((item): FetchItem => ({ ...item, segment: next.name }))
    await next.noteTaken(moved)
    const lock = this.#lockFor(next)
    await this.#relock(moved, datum => lockDatum(datum, lock))
  }

  async #relock(items: readonly FetchItem[], change: (datum: DbDatum) => DbDatum): Promise<void> {
    const keys = items.map(({ url }) => keyOfUrl(url))
    const olds = await this.crawlDb.readMany(keys)
    const changes = olds.flatMap((old, index) => (old === undefined ? [] : [{ key: keys[index] as string, old, next: change(old) }]))
    await this.crawlDb.commit(changes)
  }

  #lockFor(segment: OpenSegment): Lock {
    const { clock, config } = this.context
    const timeMs = clock.nowMs()
    return { segment: segment.name, timeMs, untilMs: timeMs + config.generate.genDelayMs }
  }
}
