import { Readable } from 'node:stream'
import { createHttpClient, type HttpClient } from '../lib/fetch/http-client.js'
import { createPageFetcher, type PageFetcher } from '../lib/fetch/page-fetcher.js'
import type { RobotsKeeper } from '../lib/fetch/robots-keeper.js'
import type { Turns } from '../lib/fetch/turns.js'
import type { OpenSitemap, SitemapStart } from '../lib/parse/sitemap/walk-sitemaps.js'
import { noMetadata } from '../lib/record/metadata.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { queueIdOf } from '../lib/url/hosts.js'
import { tryNormalizeUrl } from '../lib/url/normalize-url.js'
import { shownUrl } from '../lib/url/shown-url.js'
import type { JobContext } from './job.js'
import { pageInputOf } from './page-work.js'
import { noteUntold, requestsOf } from './untold-requests.js'

export interface SitemapFetcherOptions {
  readonly context: JobContext
  /** Turns at the hosts. */
  readonly turns: Turns
  /** What is known of robots.txt, to share it. @defaultValue nothing yet */
  readonly robots?: RobotsKeeper
  /** Aborted to end at once. */
  readonly signal?: AbortSignal | undefined
}

/** Fetches sitemaps one after the other: each under robots.txt, its host's delay, and the limits for sitemaps. */
export class SitemapFetcher {
  /** Sitemaps that answered. */
  opened = 0
  readonly #client: HttpClient
  readonly #fetcher: PageFetcher
  readonly #named = new Map<string, readonly string[]>()
  #kept: OpenSitemap | undefined

  constructor(readonly options: SitemapFetcherOptions) {
    const { context, robots } = options
    const { config, pacingClock, log, counters } = context
    const http = { ...config.http, contentLimitBytes: config.sitemap.maxBytes, maxRedirects: config.sitemap.maxRedirects }
    this.#client = createHttpClient({ config: http, clock: pacingClock })
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
      ...(robots === undefined ? {} : { robots }),
      onRobots: ({ origin, sitemaps }) => void this.#named.set(origin, sitemaps),
    })
  }

  close(): void {
    this.#client.close()
  }

  /** Roots of hosts become the sitemaps that their robots.txt names; everything else is a sitemap itself. */
  async resolve(starts: readonly string[]): Promise<SitemapStart[]> {
    const sitemaps: SitemapStart[] = []
    for (const start of starts) {
      const url = tryNormalizeUrl(start)
      if (url === undefined) this.options.context.log.warn({ url: shownUrl(start) }, 'no URL of a sitemap')
      else if (new URL(url).pathname !== '/') sitemaps.push({ url })
      else sitemaps.push(...(await this.#sitemapsOf(url)))
    }
    return sitemaps
  }

  /** Reads robots.txt by asking for the default sitemap, which is what a host that names none gets. */
  async #sitemapsOf(root: Url): Promise<SitemapStart[]> {
    const byDefault = tryNormalizeUrl(`${root}sitemap.xml`)
    if (byDefault === undefined) return []
    const page = await this.#fetch(byDefault)
    const named = this.#named.get(new URL(root).origin) ?? []
    if (named.length > 0) return namedSitemaps(named, root)
    if (!this.options.context.config.sitemap.usesDefaultUrl || page === undefined) return []
    this.#kept = page
    return [{ url: byDefault }]
  }

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
    const { context, turns, signal } = this.options
    const { queueMode } = context.config.fetch
    const pages = await this.#fetcher.fetchItem(sitemapItem(url, queueIdOf(url, queueMode === 'byDomain' ? 'byDomain' : 'byHost')), turns, signal)
    await noteUntold(context, [...requestsOf(pages, 'sitemap'), ...this.#fetcher.takeUntold()])
    const last = pages.at(-1)
    const exchange = last?.exchanges.at(-1)
    if (last === undefined || last.outcome.status !== 'fetch_success' || exchange === undefined) {
      if (last?.outcome.cause !== undefined) context.log.warn({ url, cause: last.outcome.cause }, 'sitemap cannot be read')
      return undefined
    }
    this.opened++
    const { bytes, contentType, isTruncated = false } = pageInputOf(exchange, last.outcome.truncated !== undefined)
    return { url: last.outcome.url, bytes: Readable.from([bytes]), isTruncated, ...(contentType === undefined ? {} : { contentType }) }
  }
}

/** Sitemap lines of a robots.txt: the protocol wants whole URLs there, but many write paths. */
export function namedSitemaps(sitemaps: readonly string[], root: string): SitemapStart[] {
  const namedBy = new URL(root).origin
  return sitemaps.flatMap(sitemap => (URL.canParse(sitemap, root) ? [{ url: new URL(sitemap, root).href, namedBy }] : []))
}

function sitemapItem(url: Url, queueId: string): FetchItem {
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
  return { url, datum, queueId, segment: '' }
}
