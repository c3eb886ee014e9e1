import type { HttpConfig } from '../config/http-options.js'
import { metadataKeys } from '../record/metadata.js'
import type { Redirect } from '../record/records.js'
import type { Url } from '../record/url.js'
import { headerValue } from './header-list.js'
import type { HttpAnswer } from './http-result.js'
import type { Hop } from './outcome.js'
import { parseRefresh, redirectTarget } from './redirect-target.js'
import { chooseRepresentative } from './representative-url.js'

/** A redirect target as it stands becomes a URL of the crawl, or is dropped with a reason. */
export type AdmitUrl = (rawUrl: string, fromUrl: string) => { readonly url: Url } | { readonly dropped: string }

export interface RedirectContext {
  readonly admitUrl: AdmitUrl
  readonly http: HttpConfig
  /** Redirects followed for this item so far. */
  readonly followed: number
  /** Whether the URL was asked for in this chain, with the same cookies as would be sent now. */
  readonly isVisited: (url: Url) => boolean
  /** Whether the redirect cache has seen the target lately. */
  readonly isRepeated: (url: Url) => boolean
}

/** What a redirect status says: its target, or why there is none (§1.9 of the Nutch reference). */
export function locationRedirect(hop: Hop, location: string | undefined, kind: Redirect['kind'], context: RedirectContext): Redirect {
  if (location === undefined) return { to: '', dropped: 'no_location', kind, via: 'location' }
  const to = redirectTarget(hop.url, location)
  if (to === undefined) return { to: location, dropped: 'malformed', kind, via: 'location' }
  const admitted = context.admitUrl(to, hop.url)
  if ('dropped' in admitted) return { to, dropped: admitted.dropped, kind, via: 'location' }
  const dropped = whyDropped(hop, admitted.url, context)
  return dropped === undefined ? { to, target: admitted.url, kind, via: 'location' } : { to, dropped, kind, via: 'location' }
}

function whyDropped(hop: Hop, target: Url, { http, followed, isVisited, isRepeated }: RedirectContext): string | undefined {
  const { maxRedirects, skipsExceededRedirect } = http
  const isExceeded = maxRedirects > 0 && followed >= maxRedirects
  if (isVisited(target)) return target === hop.url ? 'self' : 'loop'
  if (target === hop.url && (isExceeded || maxRedirects <= 0)) return 'self'
  if (isExceeded && skipsExceededRedirect) return 'exceeded'
  return isRepeated(target) ? 'recent' : undefined
}

/** A Refresh header to another page, on a page that is fetched all the same: noted for what reads the outcome, not followed here. */
export function refreshRedirect(hop: Hop, { headers }: HttpAnswer, admitUrl: AdmitUrl): Redirect | undefined {
  const value = headerValue(headers, 'refresh')
  const refresh = value === undefined ? undefined : parseRefresh(value)
  if (refresh === undefined || refresh.url === '') return undefined
  const kind = refresh.delayS < 5 ? 'temp' : 'perm' // Nutch's border
  const to = redirectTarget(hop.url, refresh.url)
  if (to === undefined) return { to: refresh.url, dropped: 'malformed', kind, via: 'refresh' }
  const admitted = admitUrl(to, hop.url)
  if ('dropped' in admitted) return { to, dropped: admitted.dropped, kind, via: 'refresh' }
  return admitted.url === hop.url ? undefined : { to, target: admitted.url, kind, via: 'refresh' }
}

/** Metadata that says something about the page itself, not about how the crawl came there. */
const ownMetadata: ReadonlySet<string> = new Set([
  metadataKeys.etag,
  metadataKeys.lastModified,
  metadataKeys.protocolStatus,
  metadataKeys.httpCode,
  metadataKeys.responseTime,
  metadataKeys.contentType,
  metadataKeys.cause,
  metadataKeys.representative,
])

/** The next hop behind a redirect that is followed: inherits interval, score and metadata, as in Nutch's FetcherThread. */
export function nextHop(hop: Hop, target: Url, { queueId, kind }: { readonly queueId: string; readonly kind: Redirect['kind'] }): Hop {
  const { fetchIntervalS, score, fetchTimeMs, metadata: inherited } = hop.datum
  if (target === hop.url) return { ...hop, queueId }
  const metadata = Object.fromEntries(Object.entries(inherited).filter(([key]) => !ownMetadata.has(key)))
  return {
    url: target,
    queueId,
    datum: { url: target, status: 'db_unfetched', fetchTimeMs, modifiedTimeMs: 0, retries: 0, fetchIntervalS, score, metadata },
    representative: chooseRepresentative(hop.representative ?? hop.datum.metadata[metadataKeys.representative] ?? hop.url, target, kind === 'temp'),
  }
}
