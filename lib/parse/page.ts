import type { Metadata } from '../record/metadata.js'
import type { RobotsDirectives } from '../record/records.js'

/** One fetched page as the parser takes it. Plain data, so that it can go to a worker thread. */
export interface PageInput {
  /** The URL that answered; links resolve against it unless the page says otherwise. */
  readonly url: string
  /** Overrides `url` as the base of links (Content-Location is not one; a caller's choice is). */
  readonly baseUrl?: string
  /** Content-Type as received, bytes read as latin-1. */
  readonly contentType?: string
  /** Response headers, for X-Robots-Tag, Link, Refresh, Content-Language. Names in any case. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** The payload, Content-Encoding removed. */
  readonly bytes: Uint8Array
  /** The fetch stopped before the end of the body. */
  readonly isTruncated?: boolean
}

/** A link as the page gives it: resolved to an absolute URL by the platform's rules, not yet normalized or filtered. */
export interface PageLink {
  readonly url: string
  readonly anchor: string
  /** Tokens of the rel attribute, lower case, joined by one space; empty if none. */
  readonly rel: string
  /** Element that held it: `a`, `img`, `link`, …; `item` and `entry` in feeds, `text` in running text. */
  readonly element: string
  /** When the linked entry of a feed was published or changed, epoch ms. */
  readonly timeMs?: number
}

/** Where the decision for a charset came from. */
export type CharsetSource = 'bom' | 'header' | 'meta' | 'xml' | 'detector' | 'utf8' | 'default'

export interface Refresh {
  readonly delayMs: number
  /** Absolute target; the page's own URL where the refresh names none. */
  readonly url: string
}

export interface Heading {
  /** 1…6 */
  readonly level: number
  readonly text: string
}

export interface LanguageAlternate {
  readonly hreflang: string
  readonly url: string
}

/** What was met and left out, by a stable name: `unresolvable`, `scheme`, `too_long`, `over_limit`. */
export type LinkCounts = Readonly<Record<string, number>>

/** What one page says, before any rule of the crawl is applied to it. Plain data. */
export interface PageParse {
  readonly url: string
  readonly status: 'success' | 'failed' | 'notparsed'
  /** Why it failed or was not parsed: a short text that begins with a stable word. */
  readonly cause?: string
  /** Media type after sniffing, without parameters. */
  readonly mediaType: string
  readonly charset: string
  readonly charsetSource: CharsetSource
  readonly title: string
  readonly text: string
  readonly lang: string
  /** URL that links were resolved against. */
  readonly base: string
  readonly canonical?: string
  readonly alternates: readonly LanguageAlternate[]
  readonly robots: RobotsDirectives
  readonly refresh?: Refresh
  readonly headings: readonly Heading[]
  readonly links: readonly PageLink[]
  readonly linkCounts: LinkCounts
  readonly metadata: Metadata
}
