import type { FetchConfig } from '../config/fetch-options.js'
import type { HttpConfig } from '../config/http-options.js'
import type { RobotsConfig } from '../config/robots-options.js'
import type { Clock } from '../log/clock.js'
import type { Counters } from '../log/counters.js'
import type { Logger } from '../log/logger.js'
import type { HttpExchange } from '../record/exchange.js'
import type { SideRequest } from '../record/records.js'
import type { Url } from '../record/url.js'
import type { CookieJar } from './cookie-jar.js'
import type { HttpClient } from './http-client.js'
import type { RecentRedirects } from './recent-redirects.js'
import type { AdmitUrl } from './redirect-rules.js'
import type { HeadersFor } from './request-headers.js'
import type { RobotsKeeper } from './robots-keeper.js'

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
  /** Whether the URL is fetched as an item of its own: a redirect to it is noted, but not followed at once. @defaultValue none is */
  readonly isListed?: (url: Url) => boolean
  /** @defaultValue by `fetcher.queue.mode`; byIP asks the client's resolver */
  readonly queueIdOf?: (url: string) => string | Promise<string>
  /** What is known of robots.txt, where several fetchers share it. @defaultValue one of its own */
  readonly robots?: RobotsKeeper
  /** Told of each robots.txt that was read. */
  readonly onRobots?: (seen: RobotsSeen) => void
}

/** What all fetches of one fetcher share. */
export interface SharedFetch extends Omit<PageFetcherOptions, 'robots'> {
  readonly queueIdOf: (url: string) => string | Promise<string>
  readonly headersFor: HeadersFor
  readonly agentNames: readonly string[]
  readonly robots: RobotsKeeper
  readonly redirects: RecentRedirects
  /** Absent where cookies are off. */
  readonly cookies?: CookieJar
  /** Exchanges whose item was given back: they go out with the next page. */
  readonly unstored: HttpExchange[]
  /** Requests whose item was given back: the next outcome tells of them. */
  readonly untold: SideRequest[]
}
