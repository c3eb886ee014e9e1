import type { FetchOutcome, Link } from '../lib/record/records.js'
import type { Scoring } from '../lib/score/create-scoring.js'

/** The target of a redirect as a link: with the source's metadata, and the score of a page that is new (Nutch's FetcherThread). */
export function redirectLinks({ url, datum, redirect, status }: FetchOutcome, scoring: Scoring): Link[] {
  const isRedirect = status === 'fetch_redir_temp' || status === 'fetch_redir_perm'
  if (!isRedirect || redirect?.target === undefined || redirect.target === url) return []
  const { score } = scoring.initial({ ...datum, url: redirect.target })
  return [{ from: url, to: redirect.target, anchor: '', score, metadata: datum.metadata }]
}
