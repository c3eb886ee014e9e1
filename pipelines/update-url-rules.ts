import { storedUrl, type Url } from '../lib/record/url.js'
import { type JobContext, urlRulesOf } from './job.js'

/** What `crawldb.url.normalizers` and `crawldb.url.filters` ask of updatedb. */
export interface UpdateUrlRules {
  /** The URL under which a link to `url` counts. One that is no URL any more stays what it was. */
  targetOf(url: string): Url
  /** Whether the record of a URL that an update touches is not to stand. A rule that fails instead of deciding keeps it (NUTCH-3164). */
  isRejected(url: Url): boolean
  readonly fingerprint: string
}

/** Undefined where neither option is set, as by default. @throws {CrawlError} URL_RULE_INVALID, CONFIG_INVALID */
export function updateUrlRules(context: JobContext): UpdateUrlRules | undefined {
  const { normalizesExisting: isNormalizing, filtersExisting: isFiltering } = context.config.db
  if (!isNormalizing && !isFiltering) return undefined
  const rules = urlRulesOf(context, { isNormalizing, isFiltering })
  return {
    targetOf: url => (isNormalizing ? rules.normalize(url, 'crawldb') : undefined) ?? storedUrl(url),
    isRejected: url => isFiltering && rules.filters.rejection(url)?.isError === false,
    fingerprint: rules.fingerprint,
  }
}
