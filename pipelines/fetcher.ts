import type { Config } from '../lib/config/options.js'
import { createHttpClient, type HttpClient } from '../lib/fetch/http-client.js'
import { createPageFetcher, type PageFetcher, type RobotsSeen } from '../lib/fetch/page-fetcher.js'
import { RobotsKeeper } from '../lib/fetch/robots-keeper.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import { FetchListing } from './fetch-listing.js'
import type { JobContext } from './job.js'
import { redirectAdmission } from './redirect-admission.js'

/** The fetcher of a crawl and the client under it. */
export interface CrawlFetcher {
  readonly fetcher: PageFetcher
  readonly client: HttpClient
  /** What it knows of robots.txt. */
  readonly robots: RobotsKeeper
  /** To be told of each list that is fetched. */
  readonly listing: FetchListing
}

/** Where pages without inlinks are marked as orphans, each page is asked for in full: one that is answered with 304 shows no links, and all that only it
 *  links to would be taken for orphans in time. */
function showingLinks({ config, scoring }: JobContext): Config {
  return scoring.marksOrphans ? { ...config, http: { ...config.http, sendsConditional: false } } : config
}

/** @throws {CrawlError} CONFIG_INVALID */
export function createFetcher(context: JobContext, rules: CrawlUrlRules, onRobots?: (seen: RobotsSeen) => void): CrawlFetcher {
  const { pacingClock: clock, log, counters } = context
  const config = showingLinks(context)
  const client = createHttpClient({ config: config.http, clock })
  const robots = new RobotsKeeper(config.robots, clock)
  const listing = new FetchListing()
  const fetcher = createPageFetcher({
    config,
    client,
    clock,
    log,
    counters,
    robots,
    admitUrl: redirectAdmission(config.link, rules),
    isListed: url => listing.has(url),
    ...(onRobots === undefined ? {} : { onRobots }),
  })
  return { fetcher, client, robots, listing }
}
