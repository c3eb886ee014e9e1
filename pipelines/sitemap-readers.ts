import { setTimeout as sleep } from 'node:timers/promises'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import type { FetchRun } from '../lib/fetch/fetch-all.js'
import type { CrawlJob } from './crawl-job.js'
import type { CrawlStops } from './crawl-stops.js'
import { PoliteTurns } from './polite-turns.js'
import { PolitenessKeeper } from './politeness-keeper.js'
import type { SitemapFollower } from './sitemap-follower.js'

/** Hosts whose sitemaps are read at once. */
const hostsAtOnce = 8

export interface SitemapReadersOptions {
  readonly crawlDb: CrawlDb
  readonly stops: CrawlStops
  /** Called when what the sitemaps of a host name is in the db. */
  readonly onRead: () => void
  readonly onFailed: (error: unknown) => void
}

/** Reads sitemaps beside a fetch under way: a few hosts at once, in turns with what else is asked of them. */
export class SitemapReaders {
  readonly #reading = new Set<Promise<void>>()

  constructor(
    readonly follower: SitemapFollower | undefined,
    readonly options: SitemapReadersOptions,
  ) {}

  get isBusy(): boolean {
    return this.#reading.size > 0 || (this.follower?.waiting ?? 0) > 0
  }

  /** Begins to read as hosts come. */
  attach(fetch: FetchRun): void {
    this.follower?.onWaiting(() => this.#start(fetch))
    this.#start(fetch)
  }

  /** Resolves when none is being read. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading)
  }

  #start(fetch: FetchRun): void {
    const { follower } = this
    const { crawlDb, stops, onRead, onFailed } = this.options
    const isStopped = (): boolean => stops.stopTaking.aborted
    while (follower !== undefined && follower.waiting > 0 && this.#reading.size < hostsAtOnce && !isStopped()) {
      const reading: Promise<void> = fetch
        .runTask(turns => follower.readNext({ crawlDb, turns, isStopped, signal: stops.abort }))
        .catch(onFailed)
        .then(() => {
          this.#reading.delete(reading)
          onRead()
          this.#start(fetch)
        })
      this.#reading.add(reading)
    }
  }
}

/** Reads the sitemaps that wait between two rounds. */
export async function readWaitingSitemaps(crawlDb: CrawlDb, { context, sitemaps }: CrawlJob, stops: CrawlStops): Promise<void> {
  if (sitemaps === undefined || stops.stopTaking.aborted) return
  sitemaps.repeat()
  if (sitemaps.waiting === 0) return
  const { config, pacingClock } = context
  const politeness = await PolitenessKeeper.open(context)
  const { state, notBeforeMs } = politeness
  const wait = async (ms: number, signal?: AbortSignal): Promise<void> => void (await sleep(ms, undefined, signal === undefined ? {} : { signal }))
  const turns = new PoliteTurns({ config: config.fetch, clock: pacingClock, wait, signal: stops.stopTaking, politeness: state, notBeforeMs })
  const isStopped = (): boolean => stops.stopTaking.aborted
  const readAll = async (): Promise<void> => {
    while (sitemaps.waiting > 0 && !isStopped()) await sitemaps.readNext({ crawlDb, turns, isStopped, signal: stops.abort })
  }
  try {
    politeness.watch(() => turns.exportPoliteness())
    await Promise.all(Array.from({ length: hostsAtOnce }, readAll))
    await politeness.end(turns.exportPoliteness())
  } finally {
    await politeness.abandon()
  }
}
