import type { FetchRun } from '../lib/fetch/fetch-all.js'
import type { PageFetcher } from '../lib/fetch/page-fetcher.js'
import type { CrawlStatus } from '../lib/metrics/crawl-status.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import type { FetchListing } from './fetch-listing.js'
import type { SeedRules } from './inject.js'
import type { JobContext } from './job.js'
import type { PagePool } from './page-pool.js'
import type { SitemapFollower } from './sitemap-follower.js'

/** When a crawl ends; the first that is reached counts. At least one is given. */
export interface CrawlLimits {
  /** Rounds of Nutch's loop; without it the crawl is continuous. */
  readonly rounds?: number | undefined
  /** Pages fetched with success or found unmodified. */
  readonly maxPages?: number | undefined
  readonly maxTimeMs?: number | undefined
  /** Ends when nothing is due. So do the other limits, but for `isForever`. */
  readonly isUntilIdle?: boolean
  /** When nothing is due, sleeps until something is. */
  readonly isForever?: boolean
}

/** What a crawl is to do, and when to end. */
export interface CrawlJob {
  readonly context: JobContext
  readonly seedFiles: readonly string[]
  readonly rules: CrawlUrlRules
  readonly limits: CrawlLimits
  /** URLs of one round at most. */
  readonly topN?: number | undefined
  readonly fetcher: PageFetcher
  /** The fetcher's, to be told of each list. */
  readonly listing?: FetchListing | undefined
  readonly pool: PagePool
  /** Hash of the command: the same one goes on. */
  readonly command: string
  /** Aborted to stop: nothing new is taken, what is in flight is finished within the grace time, and merged. */
  readonly stop: AbortSignal
  /** Live figures: whoever runs a phase names it there. */
  readonly status?: CrawlStatus
  /** Reads sitemaps of hosts that the crawl meets; absent if none are to be read. */
  readonly sitemaps?: SitemapFollower | undefined
  readonly onPage?: (page: FetchedPage) => void
  /** Takes what notes the crawl as finished, to be called when its report has been given: killed before that, the crawl gives it again. */
  readonly onEnd?: (finish: () => Promise<void>) => void
  readonly onFetchStart?: (run: FetchRun) => void
}

/** What a crawl came to: the line of totals. */
export interface CrawlReport {
  /** Pages fetched with success or found unmodified, since the crawl began. */
  readonly fetched: number
  /** Records in the CrawlDb. */
  readonly urls: number
  /** Segments merged since the crawl began. */
  readonly rounds: number
  readonly elapsedMs: number
  readonly stoppedBy: 'rounds' | 'pages' | 'time' | 'throughput' | 'idle' | 'signal'
}

/** How seeds are injected in a crawl. */
export function seedRulesOf({ rules }: CrawlJob): { readonly rules: SeedRules; readonly rulesHash: string } {
  return {
    rules: { normalize: raw => rules.normalize(raw, 'inject'), accepts: url => rules.accepts(url) },
    rulesHash: rules.fingerprint,
  }
}
