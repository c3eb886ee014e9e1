import { parseHttpDate } from '../lib/fetch/http-date.js'
import type { AdmitUrl } from '../lib/fetch/redirect-rules.js'
import { redirectTarget } from '../lib/fetch/redirect-target.js'
import { isRedirectRule, statusRule } from '../lib/fetch/status-rules.js'
import { metadataKeys } from '../lib/record/metadata.js'
import { protocolStatusText } from '../lib/record/protocol-status.js'
import type { DbDatum, FetchOutcome, Redirect, TruncationReason } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { fieldValue } from '../lib/warc/http-head.js'
import type { StoredContent } from '../lib/warc/stored-content.js'
import { warcField } from '../lib/warc/warc-fields.js'

export interface ImportedOutcomeOptions {
  /** The record that the URL is to have until updatedb has seen the segment. */
  readonly datum: DbDatum
  readonly admitRedirect: AdmitUrl
}

/**
 * What a fetch that gave this capture would have ended as: the status by the same table, times from WARC-Date. A resource record has no status
 * and counts as a success; a revisit as not modified.
 */
export function importedOutcome(url: Url, content: StoredContent, { datum, admitRedirect }: ImportedOutcomeOptions): FetchOutcome {
  const { fields, httpStatus, dateMs, payload, type, warc } = content
  const location = fieldValue(fields, 'location')
  const rule = type === 'revisit' ? statusRule(304, false) : statusRule(httpStatus ?? 200, location !== undefined)
  const contentType = fieldValue(fields, 'content-type') ?? (httpStatus === undefined ? warcField(warc, 'content-type') : undefined)
  const modifiedTimeMs = parseHttpDate(fieldValue(fields, 'last-modified') ?? '')
  const truncated = truncationOf(content.truncated)
  const address = warcField(warc, 'warc-ip-address')
  const redirect =
    isRedirectRule(rule) && location !== undefined ? redirectOf(url, location, rule.status === 'fetch_redir_perm', admitRedirect) : undefined
  const isFailure = rule.status === 'fetch_gone' || rule.status === 'fetch_retry'
  const cause = isFailure ? `HTTP ${httpStatus}` : undefined
  return {
    url,
    status: rule.status,
    protocolStatus: rule.protocolStatus,
    datum,
    timing: { startMs: dateMs, endMs: dateMs },
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(contentType === undefined ? {} : { contentType }),
    contentLengthBytes: payload.length,
    ...(modifiedTimeMs === undefined ? {} : { modifiedTimeMs }),
    ...(redirect === undefined ? {} : { redirect }),
    ...(truncated === undefined ? {} : { truncated }),
    ...(address === undefined ? {} : { address }),
    ...(cause === undefined ? {} : { cause, causeClass: 'http' }),
    metadata: {
      [metadataKeys.protocolStatus]: protocolStatusText(rule.protocolStatus, modifiedTimeMs ?? 0, cause ?? redirect?.to),
      ...(httpStatus === undefined ? {} : { [metadataKeys.httpCode]: String(httpStatus) }),
      ...(cause === undefined ? {} : { [metadataKeys.cause]: cause }),
    },
  }
}

function redirectOf(url: Url, location: string, isPermanent: boolean, admitRedirect: AdmitUrl): Redirect {
  const to = redirectTarget(url, location)
  const admitted = to === undefined ? { dropped: 'malformed' } : admitRedirect(to, url)
  return {
    to: to ?? location,
    ...('url' in admitted ? { target: admitted.url } : { dropped: admitted.dropped }),
    kind: isPermanent ? 'perm' : 'temp',
    via: 'location',
  }
}

function truncationOf(reason: string | undefined): TruncationReason | undefined {
  if (reason === undefined) return undefined
  return reason === 'time' || reason === 'disconnect' ? reason : 'length'
}
