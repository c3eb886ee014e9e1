import type { DbDatum } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'

/** A record of the CrawlDb for specs: never fetched, due at 0, with the defaults of Nutch, but for what is given. */
export function dbDatum(parts: Partial<Omit<DbDatum, 'url'>> & { readonly url?: string } = {}): DbDatum {
  const { url = 'http://a.example/', ...rest } = parts
  return {
    url: storedUrl(url),
    status: 'db_unfetched',
    fetchTimeMs: 0,
    modifiedTimeMs: 0,
    retries: 0,
    fetchIntervalS: 2_592_000,
    score: 1,
    metadata: {},
    ...rest,
  }
}
