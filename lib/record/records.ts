import type { Metadata } from './metadata.js'
import type { DbStatus, FetchStatus, ProtocolStatusName, Status } from './status.js'
import type { Url } from './url.js'

/** What is known of one URL (Nutch's CrawlDatum). In the CrawlDb `fetchTimeMs` is when it is next due; in crawl_fetch when it was fetched. */
export interface CrawlDatum {
  readonly url: Url
  readonly status: Status
  /** Epoch ms. */
  readonly fetchTimeMs: number
  /** Epoch ms; 0 if not known. */
  readonly modifiedTimeMs: number
  /** Failed fetches since the last success, 0…255. */
  readonly retries: number
  readonly fetchIntervalS: number
  /** Always a finite float32. */
  readonly score: number
  /** Of the content last fetched, at most 255 bytes; absent before that. */
  readonly signature?: Uint8Array
  readonly metadata: Metadata
}

/** A CrawlDatum as the CrawlDb holds it. */
export type DbDatum = CrawlDatum & { readonly status: DbStatus }

/** One entry of a fetch list. */
export interface FetchItem {
  readonly url: Url
  readonly datum: DbDatum
  /** Host, domain or IP address, by `fetcher.queue.mode`. */
  readonly queueId: string
  readonly segment: string
}

/** Where a page's WARC response record stands: byte range of its gzip member. */
export interface ContentRef {
  readonly file: string
  readonly offsetBytes: number
  readonly lengthBytes: number
}

/** Milliseconds that the parts of a fetch took; parts that did not happen are absent. */
export interface FetchTiming {
  readonly startMs: number
  readonly endMs: number
  readonly dnsMs?: number
  readonly connectMs?: number
  readonly firstByteMs?: number
  /** Where the clock was set (`--now`): what makes the machine's time of `startMs` and `endMs` when added. */
  readonly offsetMs?: number
}

/** A request that no outcome has as its own: for robots.txt, for a sitemap, or one that was made again. */
export interface SideRequest {
  readonly url: string
  readonly queueId: string
  /** Epoch ms. */
  readonly startMs: number
  readonly endMs: number
  /** Delay that was due at its queue, ms. */
  readonly queueDelayMs: number
  readonly delaySource: DelaySource
  /** As in the outcome. */
  readonly queueLimit?: number
  /** What it was; absent for robots.txt and what that redirects to. */
  readonly kind?: 'repeat' | 'sitemap'
}

/** How the fetch of one item ended. Every item of a list ends as exactly one. */
export interface FetchOutcome {
  readonly url: Url
  readonly status: FetchStatus
  readonly protocolStatus: ProtocolStatusName
  /** The item's record as it was when the list was made. */
  readonly datum: DbDatum
  readonly timing: FetchTiming
  readonly httpStatus?: number
  readonly contentType?: string
  readonly contentLengthBytes?: number
  /** Modification time as the server gave it, epoch ms. */
  readonly modifiedTimeMs?: number
  readonly redirect?: Redirect
  readonly content?: ContentRef
  readonly truncated?: TruncationReason
  readonly address?: string
  readonly protocol?: string
  /** One line for people: why it is not a success. */
  readonly cause?: string
  /** Class of the cause, a counter name: `timeout`, `dns`, `connect`, `tls`, `http`, `robots`, `guard`, `size`, `protocol`, … */
  readonly causeClass?: string
  /** Delay that was due at its queue before the request, ms; absent if no request was made. */
  readonly queueDelayMs?: number
  readonly delaySource?: DelaySource
  /** Queue that it was asked in, where that is not its host (`fetcher.queue.mode`). */
  readonly queueId?: string
  /** Requests that its queue might have under way at once, this one included; absent where it was one. */
  readonly queueLimit?: number
  /** When the robots.txt that was asked was fetched, epoch ms. */
  readonly robotsFetchedMs?: number
  /** Requests before its own that no other outcome tells of. */
  readonly sideRequests?: readonly SideRequest[]
  /** When it counts as fetched, epoch ms, where the recorded time was fixed (`--now`); else the end of `timing`. */
  readonly fetchTimeMs?: number
  /** What goes into the CrawlDb's metadata: validators, response time, representative URL. */
  readonly metadata: Metadata
}

/** Where a queue's delay came from: an option, robots.txt, Retry-After, failures in a row, or the host's own response time. */
export type DelaySource = 'option' | 'crawl-delay' | 'retry-after' | 'backoff' | 'throttle'

export type TruncationReason = 'length' | 'time' | 'disconnect'

export interface Redirect {
  readonly to: string
  /** The target as a normalized URL that filters accept; absent if it is none. */
  readonly target?: Url
  /** Why the target is not followed: `filtered`, `malformed`, `self`, `exceeded`, `too_long`, … */
  readonly dropped?: string
  readonly kind: 'temp' | 'perm'
  readonly via: 'location' | 'refresh' | 'meta'
}

/** A link as a page gives it. */
export interface Outlink {
  readonly url: Url
  readonly anchor: string
  /** Tokens of the rel attribute, lower case, joined by one space; empty if none. */
  readonly rel: string
  /** Element that held it: `a`, `img`, `link`, … */
  readonly element: string
}

/** Directives for robots, from meta elements and X-Robots-Tag together. */
export interface RobotsDirectives {
  readonly noindex: boolean
  readonly nofollow: boolean
  readonly noarchive: boolean
  /** Epoch ms after which the page asks not to be shown. */
  readonly unavailableAfterMs?: number
}

/** What was read from one page. */
export interface Parse {
  readonly url: Url
  readonly status: 'success' | 'failed' | 'notparsed'
  readonly title: string
  readonly text: string
  readonly outlinks: readonly Outlink[]
  readonly metadata: Metadata
  readonly robots: RobotsDirectives
  readonly signature: Uint8Array
  /** Why it failed or was not parsed. */
  readonly cause?: string
}

/** One link on its way to the CrawlDb or LinkDb, keyed by its target. */
export interface Link {
  readonly from: Url
  readonly to: Url
  readonly anchor: string
  /** Contribution to the target's score. */
  readonly score: number
  readonly metadata: Metadata
}
