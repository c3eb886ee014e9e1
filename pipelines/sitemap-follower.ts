import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { systemCodeOf } from '../lib/errors/crawl-error.js'
import type { RobotsSeen } from '../lib/fetch/page-fetcher.js'
import type { RobotsKeeper } from '../lib/fetch/robots-keeper.js'
import type { Turns } from '../lib/fetch/turns.js'
import { writeAtomic } from '../lib/segment/write-atomic.js'
import { diskErrorOf } from '../lib/store/disk-errors.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import type { JobContext } from './job.js'
import { namedSitemaps, SitemapFetcher } from './sitemap-fetcher.js'
import { injectSpooled, spoolSitemaps } from './sitemaps.js'

/** Hosts whose sitemaps wait to be read, or are remembered to be read again, at most. */
const maxHosts = 50_000

export interface FollowOptions {
  readonly crawlDb: CrawlDb
  readonly turns: Turns
  /** Aborted to end at once. */
  readonly signal?: AbortSignal | undefined
  /** Whether no more may be asked for: what was read so far is given up then, and read by a later run. */
  readonly isStopped: () => boolean
}

/**
 * Reads the sitemaps that robots.txt of the hosts of a crawl names, and injects what they name: of each host once over the life of the folder (noted
 * in `DIR/sitemaps.read`), or as often as the crawl asks for it (`millrace.sitemap.follow`).
 */
export class SitemapFollower {
  /** Sitemaps that wait to be read, by origin. */
  readonly #waiting = new Map<string, readonly string[]>()
  /** Those that were read, to be read again. */
  readonly #again = new Map<string, readonly string[]>()
  #listener: () => void = () => undefined
  #robots: RobotsKeeper | undefined

  private constructor(
    readonly context: JobContext,
    readonly rules: CrawlUrlRules,
    /** Origins whose sitemaps were read in this folder. */
    readonly read: Set<string>,
  ) {}

  /** Undefined if none are to be read. @throws {CrawlError} IO_FAILED */
  static async open(context: JobContext, rules: CrawlUrlRules): Promise<SitemapFollower | undefined> {
    const { followedInCrawl } = context.config.sitemap
    if (followedInCrawl === 'never') return undefined
    const read = followedInCrawl === 'once' ? await readOrigins(fileOf(context)) : []
    return new SitemapFollower(context, rules, new Set(read))
  }

  /** Goes by what the crawl's own fetcher knows of robots.txt. */
  share(robots: RobotsKeeper): void {
    this.#robots = robots
  }

  /** Takes what a robots.txt names. */
  seen({ origin, sitemaps }: RobotsSeen): void {
    if (sitemaps.length === 0 || this.read.has(origin)) return
    if (this.#waiting.size + this.#again.size >= maxHosts) {
      this.context.counters.add('sitemap/hosts_over_limit')
      return
    }
    this.#waiting.set(origin, sitemaps)
    this.#listener()
  }

  /** Calls `listener` whenever a host has come whose sitemaps are to be read. */
  onWaiting(listener: () => void): void {
    this.#listener = listener
  }

  /** How many hosts wait to have their sitemaps read. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Has those read again that were read before, where that is wished. */
  repeat(): void {
    for (const [origin, sitemaps] of this.#again) this.#waiting.set(origin, sitemaps)
    this.#again.clear()
  }

  /** Reads the sitemaps of one host that waits, and injects what they name, in a turn of the db's jobs. */
  async readNext(options: FollowOptions): Promise<void> {
    const [next] = this.#waiting
    if (next === undefined) return
    const [origin, sitemaps] = next
    this.#waiting.delete(origin)
    const { crawlDb, isStopped, turns, signal } = options
    const { context, rules } = this
    const robots = this.#robots
    const fetcher = new SitemapFetcher({ context, turns, signal, ...(robots === undefined ? {} : { robots }) })
    try {
      const file = await spoolSitemaps(this, fetcher, namedSitemaps(sitemaps, origin))
      if (isStopped()) {
        await rm(file, { force: true })
        return
      }
      const report = await crawlDb.jobs.run(() => injectSpooled({ context: { ...context, signal: undefined }, rules, crawlDb }, file))
      context.counters.add('sitemap/read', fetcher.opened)
      context.log.info({ origin, sitemaps: fetcher.opened, added: report.added }, 'sitemaps are read')
      await this.#noteRead(origin, sitemaps)
    } catch (error) {
      if (!isStopped()) throw error
    } finally {
      fetcher.close()
    }
  }

  async #noteRead(origin: string, sitemaps: readonly string[]): Promise<void> {
    if (this.context.config.sitemap.followedInCrawl !== 'once') {
      this.#again.set(origin, sitemaps)
      return
    }
    this.read.add(origin)
    try {
      await appendFile(fileOf(this.context), `${origin}\n`)
    } catch (error) {
      throw diskErrorOf(error, fileOf(this.context))
    }
  }
}

/** A line that a kill cut off is taken away, and its host is read again. */
async function readOrigins(file: string): Promise<string[]> {
  try {
    const text = await readFile(file, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    if (whole.length < text.length) await writeAtomic(file, whole)
    return whole.split('\n').slice(0, -1)
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return []
    throw diskErrorOf(error, file)
  }
}

function fileOf({ folder }: JobContext): string {
  return join(folder.root, 'sitemaps.read')
}
