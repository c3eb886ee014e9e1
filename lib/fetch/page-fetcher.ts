import type { FetchedPage } from '../record/exchange.js'
import type { FetchItem, SideRequest } from '../record/records.js'
import { hostOf, queueIdOf } from '../url/hosts.js'
import { CookieJar } from './cookie-jar.js'
import type { PageFetcherOptions } from './fetcher-options.js'
import type { HttpClient } from './http-client.js'
import { ItemFetch } from './item-fetch.js'
import { RecentRedirects } from './recent-redirects.js'
import { agentNamesOf, createRequestHeaders, hasContact } from './request-headers.js'
import { RobotsKeeper } from './robots-keeper.js'
import { type Turns, unlimitedTurns } from './turns.js'

export type { PageFetcherConfig, PageFetcherOptions, RobotsSeen } from './fetcher-options.js'

/** Fetches items of a fetch list. */
export interface PageFetcher {
  /**
   * One page for the item and one for each further URL that a redirect led to, the item's first. Never rejects for a page's fault.
   * Empty if there was no turn to be had at the item's own queue, or the signal aborted: the item is as it was.
   */
  fetchItem(item: FetchItem, turns?: Turns, signal?: AbortSignal): Promise<readonly FetchedPage[]>
  /** Requests that no outcome has told of, and none will: of fetches that came to nothing. Told once. */
  takeUntold(): SideRequest[]
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
    queueIdOf: options.queueIdOf ?? (url => queueIdByMode(url, options)),
    headersFor: createRequestHeaders(config.http),
    agentNames: agentNamesOf(config.http),
    robots: options.robots ?? new RobotsKeeper(config.robots, clock),
    redirects: new RecentRedirects(config.fetch, clock),
    unstored: [],
    untold: [] as SideRequest[],
    ...(config.http.keepsCookies ? { cookies: new CookieJar() } : {}),
  }
  return {
    fetchItem: (item, turns = unlimitedTurns, signal) => new ItemFetch(shared, turns, signal).run(item),
    takeUntold: () => shared.untold.splice(0),
  }
}

/** The queue of a URL; a host without an address is a queue of its own. */
async function queueIdByIp(url: string, client: HttpClient): Promise<string> {
  const host = hostOf(url)
  return (await client.addressOf(host)) ?? host
}

function queueIdByMode(url: string, { config, client }: PageFetcherOptions): string | Promise<string> {
  const { queueMode } = config.fetch
  return queueMode === 'byIP' ? queueIdByIp(url, client) : queueIdOf(url, queueMode)
}
