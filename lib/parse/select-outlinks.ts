import type { LinkConfig } from '../config/link-options.js'
import type { Outlink } from '../record/records.js'
import type { Url } from '../record/url.js'
import { ignoredLinksOf } from '../url/ignored-links.js'
import type { PageLink, PageParse } from './page.js'

/** What the crawl makes of a link. */
export interface OutlinkRules {
  readonly link: LinkConfig
  /** The chain of scope outlink; undefined for what is no URL that can be crawled. */
  normalize(url: string): Url | undefined
  accepts(url: Url): boolean
  /** Lets an external link through although external links are ignored (Nutch's urlfilter-ignoreexempt). */
  isExempt?(from: Url, to: string): boolean
}

/** Why links were dropped, by a stable name. */
export type OutlinkDrop = 'nofollow' | 'too_long' | 'self' | 'external' | 'internal' | 'malformed' | 'rejected' | 'over_limit'

export interface SelectedOutlinks {
  readonly outlinks: readonly Outlink[]
  /** Links found on the page that may be followed, before any rule dropped one: OPIC’s N when `db.score.count.filtered` is set. */
  readonly extractedCount: number
  readonly dropped: Readonly<Partial<Record<OutlinkDrop, number>>>
}

/**
 * The links of a page that the crawl follows, in their order, duplicates kept (Nutch’s ParseOutputFormat). Dropped are links marked nofollow
 * (all, if the page says so), too long ones, links to the page itself, internal or external ones where these are ignored, and what the
 * normalizers or filters reject; of the rest the first `db.max.outlinks.per.page` are kept.
 */
export function selectOutlinks(page: Pick<PageParse, 'links' | 'robots'>, pageUrl: Url, rules: OutlinkRules): SelectedOutlinks {
  const dropped: Partial<Record<OutlinkDrop, number>> = {}
  const drop = (why: OutlinkDrop): void => {
    dropped[why] = (dropped[why] ?? 0) + 1
  }
  const outlinks: Outlink[] = []
  const { maxOutlinks } = rules.link
  const judge = outlinkJudge(pageUrl, rules)
  let extractedCount = 0
  for (const link of page.links) {
    if (page.robots.nofollow || isNofollow(link, rules.link)) {
      drop('nofollow')
      continue
    }
    extractedCount++
    if (maxOutlinks >= 0 && outlinks.length >= maxOutlinks) {
      drop('over_limit')
      continue
    }
    const verdict = judge(link)
    if ('why' in verdict) drop(verdict.why)
    else outlinks.push({ url: verdict.url, anchor: link.anchor, rel: link.rel, element: link.element })
  }
  return { outlinks, extractedCount, dropped }
}

function isNofollow({ rel }: PageLink, { nofollowRels }: LinkConfig): boolean {
  return rel !== '' && rel.split(' ').some(value => value === 'nofollow' || nofollowRels.includes(value))
}

type Verdict = { readonly url: Url } | { readonly why: OutlinkDrop }

function outlinkJudge(pageUrl: Url, { link: config, normalize, accepts, isExempt }: OutlinkRules): (link: PageLink) => Verdict {
  const ignored = ignoredLinksOf(pageUrl, config, target => isExempt?.(pageUrl, target) === true)
  return ({ url: raw }) => {
    if (config.maxOutlinkChars >= 0 && raw.length > config.maxOutlinkChars) return { why: 'too_long' }
    if (raw === pageUrl) return { why: 'self' }
    const why = ignored(raw)
    if (why !== undefined) return { why }
    const url = normalize(raw)
    if (url === undefined) return { why: 'malformed' }
    if (url === pageUrl) return { why: 'self' }
    return accepts(url) ? { url } : { why: 'rejected' }
  }
}
