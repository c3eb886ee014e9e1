import { chooseRepresentative } from '../lib/fetch/representative-url.js'
import { type Metadata, metadataKeys, withMetadata, withoutMetadata } from '../lib/record/metadata.js'
import type { FetchOutcome, Link } from '../lib/record/records.js'
import type { Scoring } from '../lib/score/create-scoring.js'

/** The target of a redirect as a link: with the source's metadata, the URL that represents both, and the score of a page that is new (Nutch's FetcherThread). */
export function redirectLinks({ url, datum, redirect, status, metadata }: FetchOutcome, scoring: Scoring): Link[] {
  const isRedirect = status === 'fetch_redir_temp' || status === 'fetch_redir_perm'
  if (!isRedirect || redirect?.target === undefined || redirect.target === url) return []
  const { score } = scoring.initial({ ...datum, url: redirect.target })
  const source = metadata[metadataKeys.representative] ?? datum.metadata[metadataKeys.representative] ?? url
  const representative = chooseRepresentative(source, redirect.target, redirect.kind === 'temp')
  return [{ from: url, to: redirect.target, anchor: '', score, metadata: withRepresentative(datum.metadata, redirect.target, representative) }]
}

/** Metadata of `url` as the target of a redirect: it names the URL that represents it, unless that is its own. */
export function withRepresentative(metadata: Metadata, url: string, representative: string): Metadata {
  return representative === url
    ? withoutMetadata(metadata, [metadataKeys.representative])
    : withMetadata(metadata, metadataKeys.representative, representative)
}
