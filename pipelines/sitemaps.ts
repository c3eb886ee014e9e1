import { Readable } from 'node:stream'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { endOf, tables } from '../lib/crawldb/tables.js'
import { createHttpClient } from '../lib/fetch/http-client.js'
import { createPageFetcher, type PageFetcher } from '../lib/fetch/page-fetcher.js'
import type { ChangeFrequency, SitemapEntry } from '../lib/parse/sitemap/sitemap-entry.js'
import { type OpenSitemap, walkSitemaps } from '../lib/parse/sitemap/walk-sitemaps.js'
import { datumToLine } from '../lib/record/datum-json.js'
import { noMetadata } from '../lib/record/metadata.js'
import type { CrawlDatum, DbDatum, FetchItem } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { urlOfKey } from '../lib/record/url-key.js'
import { hostOf } from '../lib/url/hosts.js'
import { tryNormalizeUrl } from '../lib/url/normalize-url.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import { type InjectReport, injectInto } from './inject.js'
import type { JobContext } from './job.js'
import { pageInputOf } from './page-work.js'
import { PoliteTurns } from './polite-turns.js'
import { spoolSeeds } from './seed-files.js'

export interface SitemapJob {
  readonly context: JobContext
  readonly crawlDb: CrawlDb
  readonly rules: CrawlUrlRules
  /** Sitemaps, or the roots of hosts: then those that robots.txt names, or `/sitemap.xml`. */
  readonly starts: readonly string[]
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
}

export interface SitemapReport extends InjectReport {
  /** Sitemaps that answered. */
  readonly sitemaps: number
}

const maxSitemaps = 50_000

/** Reads sitemaps politely and injects what they name (Nutch's SitemapProcessor): score by priority, interval by changefreq, modified time by lastmod. */
export async function injectSitemaps(job: SitemapJob): Promise<SitemapReport> {
  const { context, crawlDb, rules } = job
  const { config, counters } = context
  const found = new SitemapFetcher(job)
  try {
    const starts = await found.resolve(job.starts)
    const entries = walkSitemaps(starts, {
      isStrict: config.sitemap.isStrict,
      maxBytes: config.sitemap.maxBytes,
      maxDepth: config.parse.maxDepth,
      maxAttributeChars: config.parse.maxAttributeChars,
      maxIndexDepth: config.sitemap.maxDepth,
      maxSitemaps,
      open: url => found.open(url),
      onFault: (fault, sitemap, fact) => {
        counters.add(`sitemap/${fault}`)
        const isSerious = fault !== 'malformed_url' && fault !== 'out_of_scope'
        context.log[isSerious ? 'warn' : 'debug']({ url: sitemap, fault, fact }, 'sitemap')
      },
    })
    const file = await spoolSeeds(Readable.from(recordLines(job, entries)), context.folder.spool)
    const report = await injectInto(crawlDb, {
      context,
      files: [file],
      rules: { normalize: raw => rules.normalize(raw, 'inject'), accepts: url => rules.accepts(url) },
      isUpdating: config.sitemap.overwritesExisting,
      rulesHash: rules.fingerprint,
    })
    return { ...report, sitemaps: found.opened }
  } finally {
    found.close()
  }
}

/** The root of each origin that the CrawlDb has a record of: one seek an origin. */
export async function hostRoots(crawlDb: CrawlDb): Promise<string[]> {
  const roots = new Set<string>()
  let from = ''
  for (;;) {
    const [first] = await crawlDb.level.keys({ gte: tables.datum + from, lt: endOf(tables.datum), limit: 1 }).all()
    if (first === undefined) return [...roots]
    const key = first.slice(tables.datum.length)
    const { origin, protocol } = new URL(urlOfKey(key))
    if (protocol === 'http:' || protocol === 'https:') roots.add(`${origin}/`)
    // Keys of one origin are not quite one range (userinfo stands behind the port): the next scheme of the host is looked for, then the next host.
    const scheme = key.slice(0, key.indexOf('\u0001') + 1) + protocol.slice(0, -1)
    from = `${scheme}\u007f`
  }
}

async function* recordLines({ context, rules }: SitemapJob, entries: ReturnType<typeof walkSitemaps>): AsyncGenerator<Buffer> {
  for await (const { entry } of entries) {
    const url = rules.normalize(entry.url, 'inject')
    if (url === undefined) context.counters.add('sitemap/malformed_url')
    else yield Buffer.from(datumToLine(entryDatum(url, entry, context)))
  }
}

const intervalOf: Readonly<Record<ChangeFrequency, number>> = {
  always: 1,
  hourly: 3600,
  daily: 86_400,
  weekly: 604_800,
  monthly: 2_592_000,
  yearly: 31_536_000,
  never: 2_147_483_647,
}

/** The record that an entry injects. Intervals stay within those of the adaptive schedule, as in Nutch. */
function entryDatum(url: Url, { priority, changefreq, lastmodMs }: SitemapEntry, { config, schedule, clock }: JobContext): CrawlDatum {
  const { adaptiveMinIntervalS, adaptiveMaxIntervalS } = config.schedule
  const blank: DbDatum = {
    url,
    status: 'db_unfetched',
    fetchTimeMs: 0,
    modifiedTimeMs: 0,
    retries: 0,
    fetchIntervalS: 0,
    score: priority,
    metadata: noMetadata,
  }
  const byDefault = schedule.initialize(blank, clock.nowMs())
  const intervalS =
    changefreq === undefined ? byDefault.fetchIntervalS : Math.min(Math.max(intervalOf[changefreq], adaptiveMinIntervalS), adaptiveMaxIntervalS)
  return { ...byDefault, status: 'injected', fetchIntervalS: Math.round(intervalS), modifiedTimeMs: Math.min(lastmodMs ?? 0, clock.nowMs()) }
}

/** Fetches sitemaps one after the other: each under robots.txt, its host's delay, and the limits for sitemaps. */
class SitemapFetcher {
  opened = 0
  readonly #client
  readonly #fetcher: PageFetcher
  readonly #turns: PoliteTurns
  readonly #named = new Map<string, readonly string[]>()

  constructor(readonly job: SitemapJob) {
    const { context, wait } = job
    const { config, pacingClock, log, counters, signal } = context
    const http = { ...config.http, contentLimitBytes: config.sitemap.maxBytes, maxRedirects: config.sitemap.maxRedirects }
    this.#client = createHttpClient({ config: http, clock: pacingClock })
    this.#turns = new PoliteTurns({ config: config.fetch, clock: pacingClock, wait, signal })
    this.#fetcher = createPageFetcher({
      config: { http, fetch: config.fetch, robots: config.robots },
      client: this.#client,
      clock: pacingClock,
      log,
      counters,
      admitUrl: raw => {
        const url = tryNormalizeUrl(raw)
        return url === undefined ? { dropped: 'malformed' } : { url }
      },
      onRobots: ({ origin, sitemaps }) => void this.#named.set(origin, sitemaps),
    })
  }

  close(): void {
    this.#client.close()
  }

  /** Roots of hosts become the sitemaps that their robots.txt names; everything else is a sitemap itself. */
  async resolve(starts: readonly string[]): Promise<string[]> {
    const sitemaps: string[] = []
    for (const start of starts) {
      const url = tryNormalizeUrl(start)
      if (url === undefined) this.job.context.log.warn({ url: start }, 'no URL of a sitemap')
      else if (new URL(url).pathname !== '/') sitemaps.push(url)
      else sitemaps.push(...(await this.#sitemapsOf(url)))
    }
    return sitemaps
  }

  /** Reads robots.txt by asking for the default sitemap, which is what a host that names none gets. */
  async #sitemapsOf(root: Url): Promise<string[]> {
    const byDefault = tryNormalizeUrl(`${root}sitemap.xml`)
    if (byDefault === undefined) return []
    const page = await this.#fetch(byDefault)
    const named = this.#named.get(new URL(root).origin) ?? []
    if (named.length > 0) return [...named]
    if (!this.job.context.config.sitemap.usesDefaultUrl || page === undefined) return []
    this.#kept = page
    return [byDefault]
  }

  #kept: OpenSitemap | undefined

  async open(url: string): Promise<OpenSitemap | undefined> {
    if (this.#kept !== undefined && this.#kept.url === url) {
      const kept = this.#kept
      this.#kept = undefined
      return kept
    }
    const normalized = tryNormalizeUrl(url)
    return normalized === undefined ? undefined : this.#fetch(normalized)
  }

  async #fetch(url: Url): Promise<OpenSitemap | undefined> {
    const pages = await this.#fetcher.fetchItem(sitemapItem(url), this.#turns, this.job.context.signal)
    const last = pages.at(-1)
    const exchange = last?.exchanges.at(-1)
    if (last === undefined || last.outcome.status !== 'fetch_success' || exchange === undefined) {
      if (last?.outcome.cause !== undefined) this.job.context.log.warn({ url, cause: last.outcome.cause }, 'sitemap cannot be read')
      return undefined
    }
    this.opened++
    const { bytes, contentType } = pageInputOf(exchange)
    return { url: last.outcome.url, bytes: Readable.from([bytes]), ...(contentType === undefined ? {} : { contentType }) }
  }
}

function sitemapItem(url: Url): FetchItem {
  const datum: DbDatum = {
    url,
    status: 'db_unfetched',
    fetchTimeMs: 0,
    modifiedTimeMs: 0,
    retries: 0,
    fetchIntervalS: 1,
    score: 0,
    metadata: noMetadata,
  }
  return { url, datum, queueId: hostOf(url), segment: '' }
}
