/** Fields of an extension by local name; several values of one name as a list. */
export type ExtensionFields = Readonly<Record<string, string | readonly string[]>>

/** Extensions that an entry carries: image, video, news, mobile, pagemap by Google’s schemas; links are xhtml alternates. */
export type SitemapExtensions = Readonly<Partial<Record<'image' | 'video' | 'news' | 'mobile' | 'pagemap' | 'links', readonly ExtensionFields[]>>>

export const changeFrequencies = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'] as const
export type ChangeFrequency = (typeof changeFrequencies)[number]

/** One entry of a sitemap (sitemaps.org). */
export interface SitemapEntry {
  /** `index` for a sitemap that an index names, `url` for a page. */
  readonly type: 'url' | 'index'
  readonly url: string
  /** Epoch ms. */
  readonly lastmodMs?: number
  readonly changefreq?: ChangeFrequency
  /** 0…1; 0.5 where the sitemap gives none, as the protocol says. */
  readonly priority: number
  readonly extensions?: SitemapExtensions
}

/** What was met in a sitemap and left out or warned of, by a stable name. */
export type SitemapFault =
  | 'malformed_url' // no absolute URL
  | 'out_of_scope' // not under the sitemap’s own folder
  | 'bad_lastmod'
  | 'bad_priority'
  | 'bad_changefreq'
  | 'over_entries' // more than 50,000 entries
  | 'over_bytes' // more than 50 MB
  | 'cut_off' // ended, or stopped being readable, before its end
  | 'not_a_sitemap'

export interface SitemapOptions {
  /** URL that the sitemap was read from. */
  readonly url: string
  /** Origins whose robots.txt names it, or an index that does. */
  readonly namedBy?: readonly string[]
  /** The fetch stopped before its end. */
  readonly isTruncated?: boolean
  /** Entries outside the folder of the sitemap are dropped (the protocol’s rule; Nutch’s `sitemap.strict.parsing`). */
  readonly isStrict: boolean
  /** Bytes, unpacked, after which it is warned; ten times as many end the reading (`sitemap.size.max`). */
  readonly maxBytes: number
  readonly maxDepth: number
  readonly maxAttributeChars: number
  /** Told of each fault; of `over_entries` and `over_bytes` once. */
  onFault?(fault: SitemapFault, fact: string): void
}

/** Entries that a sitemap may hold by the protocol. */
export const maxEntries = 50_000
