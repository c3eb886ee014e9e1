import type { LinkConfig } from '../lib/config/link-options.js'
import type { AdmitUrl } from '../lib/fetch/redirect-rules.js'
import { ignoredLinksOf } from '../lib/url/ignored-links.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'

/** Which targets of redirects become URLs of the crawl: those that a link could have led to, by length, normalizers, filters and `db.ignore.*` (Nutch's
 *  FetcherThread); a page that redirects to itself is no link. */
export function redirectAdmission(config: LinkConfig, rules: Pick<CrawlUrlRules, 'normalize' | 'accepts' | 'isExempt'>): AdmitUrl {
  return (raw, fromUrl) => {
    if (config.maxOutlinkChars >= 0 && raw.length > config.maxOutlinkChars) return { dropped: 'too_long' }
    const url = rules.normalize(raw, 'fetcher')
    if (url === undefined) return { dropped: 'malformed' }
    if (!rules.accepts(url)) return { dropped: 'filtered' }
    const isAsked = config.ignoresAlsoRedirects && url !== fromUrl
    const dropped = isAsked ? ignoredLinksOf(fromUrl, config, rules.isExempt)(url) : undefined
    return dropped === undefined ? { url } : { dropped }
  }
}
