import { configWith } from '../../lib/config/resolve-config.js'
import { type FetchAllOptions, type FetchAllResult, fetchAll } from '../../lib/fetch/fetch-all.js'
import { MemorySource } from '../../lib/fetch/fetch-source.js'
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../../lib/fetch/http-client.js'
import { createPageFetcher, type PageFetcher, type PageFetcherOptions } from '../../lib/fetch/page-fetcher.js'
import type { Clock } from '../../lib/log/clock.js'
import { systemClock } from '../../lib/log/clock.js'
import { Counters } from '../../lib/log/counters.js'
import { silentLogger } from '../../lib/log/logger.js'
import type { FetchedPage } from '../../lib/record/exchange.js'
import type { DbDatum, FetchItem, FetchOutcome } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'
import { hostOf } from '../../lib/url/hosts.js'

export interface FetchSetup {
  readonly client: HttpClient
  readonly fetcher: PageFetcher
  readonly counters: Counters
  readonly config: ReturnType<typeof configWith>
  /** Fetches these URLs, each as an item of the queue of its host or of the queue named. */
  fetch(items: readonly (string | FetchItem)[], options?: Partial<FetchAllOptions>): Promise<FetchedRun>
}

export interface FetchedRun {
  readonly result: FetchAllResult
  readonly pages: readonly FetchedPage[]
  outcome(url: string): FetchOutcome
}

/** A fetcher with loopback open and no delay, unless `values` say otherwise. */
export function setUpFetch(
  values: Readonly<Record<string, unknown>> = {},
  parts: { readonly clock?: Clock } & Partial<HttpClientOptions> & Partial<PageFetcherOptions> = {},
): FetchSetup {
  const config = configWith({ 'http.allow.address': 'loopback', 'fetcher.server.delay': 0, 'http.agent.name': 'testbot', ...values })
  const clock = parts.clock ?? systemClock
  const counters = new Counters()
  const client = createHttpClient({ ...parts, config: config.http, clock })
  const fetcher = createPageFetcher({ admitUrl: url => ({ url: storedUrl(url) }), ...parts, config, client, clock, log: silentLogger, counters })
  return {
    client,
    fetcher,
    counters,
    config,
    async fetch(items, options = {}) {
      const pages: FetchedPage[] = []
      const onPage = async (page: FetchedPage): Promise<void> => void pages.push(page)
      const source = new MemorySource(items.map(item => (typeof item === 'string' ? itemFor(item) : item)))
      const result = await fetchAll({ source, fetcher, config: config.fetch, clock, onPage, ...options })
      return { result, pages, outcome: url => outcomeOf(pages, url) }
    },
  }
}

function outcomeOf(pages: readonly FetchedPage[], url: string): FetchOutcome {
  const found = pages.filter(({ outcome }) => outcome.url === url)
  if (found.length !== 1) throw new Error(`${url} has ${found.length} outcomes`)
  return (found[0] as FetchedPage).outcome
}

/** An item that was never fetched before, or with `datum`'s fields. */
export function itemFor(url: string, datum: Partial<DbDatum> = {}, queueId = hostOf(url)): FetchItem {
  const fresh: DbDatum = {
    url: storedUrl(url),
    status: 'db_unfetched',
    fetchTimeMs: 0,
    modifiedTimeMs: 0,
    retries: 0,
    fetchIntervalS: 2_592_000,
    score: 1,
    metadata: {},
  }
  return { url: storedUrl(url), datum: { ...fresh, ...datum }, queueId, segment: '20260101000000' }
}
