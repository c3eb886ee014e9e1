import { CrawlError } from '../../errors/crawl-error.js'
import type { DbDatum } from '../../record/records.js'
import type { Url } from '../../record/url.js'

/** What decides between records with the same content (Nutch's DeduplicationJob, -compareOrder). */
export const dedupCriteria = ['score', 'fetchTime', 'httpsOverHttp', 'urlLength'] as const
export type DedupCriterion = (typeof dedupCriteria)[number]

/** What two records are compared by. */
export type DedupCandidate = Pick<DbDatum, 'url' | 'score' | 'fetchTimeMs'>

export const defaultCompareOrder: readonly DedupCriterion[] = ['score', 'fetchTime', 'urlLength']

/** Reads `score,fetchTime,urlLength`.
 *  @throws {CrawlError} USAGE for an unknown or repeated criterion, or none */
export function parseCompareOrder(text: string): readonly DedupCriterion[] {
  const words = text.split(',').map(word => word.trim())
  const order = words.filter((word): word is DedupCriterion => dedupCriteria.some(criterion => criterion === word))
  if (order.length < words.length || new Set(order).size < order.length)
    throw new CrawlError('USAGE', `compare order is a list of ${dedupCriteria.join(', ')}, each once: ${text}`)
  return order
}

const compareBy: Readonly<Record<DedupCriterion, (a: DedupCandidate, b: DedupCandidate) => number>> = {
  score: (a, b) => b.score - a.score,
  fetchTime: (a, b) => b.fetchTimeMs - a.fetchTimeMs,
  httpsOverHttp: (a, b) => Number(b.url.startsWith('https:')) - Number(a.url.startsWith('https:')),
  urlLength: (a, b) => decodedLength(a.url) - decodedLength(b.url),
}

/** Below 0 if `a` is to be kept, above 0 if `b` is, 0 if the order does not decide. */
export function compareDuplicates(a: DedupCandidate, b: DedupCandidate, order: readonly DedupCriterion[]): number {
  for (const criterion of order) {
    const comparison = compareBy[criterion](a, b)
    if (comparison !== 0) return comparison
  }
  return 0
}

/** Characters of the URL after percent-decoding; of a URL that cannot be decoded, as it is. */
function decodedLength(url: string): number {
  if (!url.includes('%')) return url.length
  try {
    return decodeURIComponent(url).length
  } catch {
    return url.length // NUTCH-2935: one bad escape must not end the job
  }
}

/** Whether dedup looks at the record: it has content, or had it judged a duplicate before. */
export function isDedupStatus(status: DbDatum['status']): boolean {
  return status === 'db_fetched' || status === 'db_notmodified' || status === 'db_duplicate'
}

export interface DedupRules {
  readonly order: readonly DedupCriterion[]
  /** The URL that the page itself names as canonical, if that counts. */
  readonly canonicalOf?: (datum: DbDatum) => Url | undefined
}

/**
 * Of records with equal signatures in one group, keeps one and gives the rest `db_duplicate`; one that was a duplicate and is the one to
 * keep now becomes `db_fetched` again. Gives only the records that change. Does not depend on the order of `records`: what the compare
 * order leaves open, the lower URL decides.
 */
export function reduceDuplicates(records: readonly DbDatum[], rules: DedupRules): DbDatum[] {
  const candidates = records.filter(({ status }) => isDedupStatus(status))
  const named = namedCanonical(candidates, rules.canonicalOf)
  const rank = ({ url }: DbDatum): number => (named.has(url) ? 0 : 1)
  const [kept, ...others] = candidates.sort(
    (a, b) => rank(a) - rank(b) || compareDuplicates(a, b, rules.order) || (a.url < b.url ? -1 : a.url > b.url ? 1 : 0),
  )
  const changed: DbDatum[] = kept?.status === 'db_duplicate' ? [{ ...kept, status: 'db_fetched' }] : []
  for (const other of others) if (other.status !== 'db_duplicate') changed.push({ ...other, status: 'db_duplicate' })
  return changed
}

/** URLs that another page of the group names as canonical, less those that in turn name another of the group. */
function namedCanonical(records: readonly DbDatum[], canonicalOf: DedupRules['canonicalOf']): ReadonlySet<Url> {
  const named = new Set<Url>()
  if (canonicalOf === undefined) return named
  const urls = new Set(records.map(({ url }) => url))
  const pointing = new Set<Url>()
  for (const datum of records) {
    const target = canonicalOf(datum)
    if (target === undefined || target === datum.url || !urls.has(target)) continue
    named.add(target)
    pointing.add(datum.url)
  }
  for (const url of pointing) named.delete(url)
  return named
}
