import type { FetchStatus, ProtocolStatusName } from '../record/status.js'

/** What an HTTP status means for the record. */
export interface StatusRule {
  readonly protocolStatus: ProtocolStatusName
  readonly status: FetchStatus
  /** Whether the queue is slowed down, as after any failed request. */
  readonly isException: boolean
}

const success: StatusRule = { protocolStatus: 'success', status: 'fetch_success', isException: false }
const movedPerm: StatusRule = { protocolStatus: 'moved', status: 'fetch_redir_perm', isException: false }
const movedTemp: StatusRule = { protocolStatus: 'temp_moved', status: 'fetch_redir_temp', isException: false }
const gone: StatusRule = { protocolStatus: 'gone', status: 'fetch_gone', isException: false }
const denied: StatusRule = { protocolStatus: 'access_denied', status: 'fetch_gone', isException: false }
const retry: StatusRule = { protocolStatus: 'exception', status: 'fetch_retry', isException: true }
const later: StatusRule = { protocolStatus: 'retry', status: 'fetch_retry', isException: false }

const rules: Readonly<Record<number, StatusRule>> = {
  202: later, // accepted, not made yet
  300: movedTemp,
  301: movedPerm,
  302: movedTemp,
  303: movedTemp,
  304: { protocolStatus: 'notmodified', status: 'fetch_notmodified', isException: false },
  305: gone, // names a proxy; not followed since RFC 7231
  306: gone,
  307: movedTemp,
  308: movedPerm, // RFC 7538
  401: denied,
  402: denied,
  403: denied,
  404: { protocolStatus: 'notfound', status: 'fetch_gone', isException: false },
  407: retry, // our proxy's
  408: retry,
  421: later,
  423: later,
  425: later,
  429: retry,
  451: denied,
}

/**
 * The rule for a final status: Nutch's table (lib-http HttpBase), corrected where the web has moved on. Other 2xx are successes, other 3xx and 4xx
 * are gone (other 3xx with a Location are temporary redirects), 5xx and what is no status are retried and slow the queue down.
 */
export function statusRule(httpStatus: number, hasLocation: boolean): StatusRule {
  const rule = rules[httpStatus]
  if (rule !== undefined) return rule === movedTemp && httpStatus === 300 && !hasLocation ? gone : rule
  if (httpStatus >= 200 && httpStatus < 300) return success
  if (httpStatus >= 300 && httpStatus < 400) return hasLocation ? movedTemp : gone
  return httpStatus >= 400 && httpStatus < 500 ? gone : retry
}

/** 304 to a request that did not ask for changes. */
const unaskedNotModified: StatusRule = { protocolStatus: 'exception', status: 'fetch_retry', isException: false }

/**
 * The rule for an answer, by what was asked. A server that refuses the condition (412) is asked without it the next time: a GET was to get 304 or the
 * page (RFC 9110 §13.1.2), and of the page that says nothing.
 */
export function answerRule(httpStatus: number, asked: { readonly hasLocation: boolean; readonly isConditional: boolean }): StatusRule {
  if (httpStatus === 304 && !asked.isConditional) return unaskedNotModified
  if (httpStatus === 412 && asked.isConditional) return later
  return statusRule(httpStatus, asked.hasLocation)
}

/** Whether the status is a redirect whose target stands in Location. */
export function isRedirectRule({ status }: StatusRule): boolean {
  return status === 'fetch_redir_perm' || status === 'fetch_redir_temp'
}
