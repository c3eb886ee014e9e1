import type { FetchConfig } from '../config/fetch-options.js'
import type { HttpConfig } from '../config/http-options.js'
import type { RobotsConfig } from '../config/robots-options.js'
import type { Clock } from '../log/clock.js'
import type { Counters } from '../log/counters.js'
import type { Logger } from '../log/logger.js'
import type { FetchedPage } from '../record/exchange.js'
import type { FetchItem } from '../record/records.js'
import type { Url } from '../record/url.js'
import { hostOf, registeredDomainOf } from '../url/hosts.js'
import type { HttpClient } from './http-client.js'
import { ItemFetch } from './item-fetch.js'
import { agentNamesOf, createRequestHeaders, hasContact } from './request-headers.js'
import { RobotsKeeper } from './robots-keeper.js'
import { type Turns, unlimitedTurns } from './turns.js'

/** A redirect target as it stands becomes a URL of the crawl, or is dropped with a reason. */
export type AdmitUrl = (rawUrl: string) => { readonly url: Url } | { readonly dropped: string }

/** The part of the configuration that fetching reads. */
export interface PageFetcherConfig {
  readonly http: HttpConfig
  readonly fetch: FetchConfig
  readonly robots: RobotsConfig
}

/** A robots.txt that was read. */
export interface RobotsSeen {
  readonly origin: string
  /** As the file writes them; relative ones are resolved against the origin. */
  readonly sitemaps: readonly string[]
  readonly fetchedMs: number
}

export interface PageFetcherOptions {
  readonly config: PageFetcherConfig
  readonly client: HttpClient
  readonly clock: Clock
  readonly log: Logger
  readonly counters: Counters
  /** Normalizes and filters redirect targets. */
  readonly admitUrl: AdmitUrl
  /** @defaultValue by `fetcher.queue.mode`; byIP falls back to the host */
  readonly queueIdOf?: (url: string) => string | Promise<string>
  /** Told of each robots.txt that was read. */
  readonly onRobots?: (seen: RobotsSeen) => void
}

/** Fetches items of a fetch list. */
export interface PageFetcher {
  /**
   * One page for the item and one for each further URL that a redirect led to, the item's first. Never rejects for a page's fault.
   * Empty if there was no turn to be had at the item's own queue: then nothing was asked, and the item is as it was.
   */
  fetchItem(item: FetchItem, turns?: Turns, signal?: AbortSignal): Promise<readonly FetchedPage[]>
}

/** A fetcher; what it keeps (robots.txt, redirects seen, cookies) lives as long as it does. The client is lent. */
export function createPageFetcher(options: PageFetcherOptions): PageFetcher {
  const { config, clock, log } = options
  if (!hasContact(config.http)) {
    log.warn(
      { agent: config.http.agentName },
      'the User-Agent names no contact: set http.agent.url or http.agent.email, so that a site can write to you instead of blocking you',
    )
  }
  const shared = {
    ...options,
    queueIdOf: options.queueIdOf ?? (url => (config.fetch.queueMode === 'byDomain' ? registeredDomainOf(hostOf(url)) : hostOf(url))),
    headersFor: createRequestHeaders(config.http),
    agentNames: agentNamesOf(config.http),
    robots: new RobotsKeeper(config.robots, clock),
    redirects: new RecentRedirects(config.fetch, clock),
    unstored: [],
  }
  return { fetchItem: (item, turns = unlimitedTurns, signal) => new ItemFetch(shared, turns, signal).run(item) }
}

/** Redirect targets seen lately (Nutch's `fetcher.redirect.dedupcache`). */
export class RecentRedirects {
  readonly #seen = new Map<string, number>()
  constructor(
    readonly config: FetchConfig,
    readonly clock: Clock,
  ) {}

  /** Whether the target was seen within the time; from now on it has been. */
  isRepeated(target: string): boolean {
    const { redirectDedupMs, redirectDedupSize } = this.config
    if (redirectDedupMs < 0) return false
    const nowMs = this.clock.nowMs()
    const seenMs = this.#seen.get(target)
    if (seenMs !== undefined && nowMs - seenMs <= redirectDedupMs) return true
    this.#seen.delete(target)
    this.#seen.set(target, nowMs)
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= redirectDedupSize) break
      this.#seen.delete(oldest)
    }
    return false
  }
}
