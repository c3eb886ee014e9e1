import type { HttpConfig } from '../config/http-options.js'
import { type Metadata, metadataKeys } from '../record/metadata.js'
import type { DbDatum, FetchOutcome, FetchTiming, Redirect } from '../record/records.js'
import { type FetchStatus, type ProtocolStatusName, protocolStatusCodes } from '../record/status.js'
import type { Url } from '../record/url.js'
import { hostOf } from '../url/hosts.js'
import type { FailureClass } from './failure.js'
import { headerValue, headerValueLike } from './header-list.js'
import { parseHttpDate } from './http-date.js'
import type { HttpAnswer, HttpFailure } from './http-result.js'
import type { StatusRule } from './status-rules.js'
import { type Turn, turnFacts } from './turns.js'

/** One URL on its way to an outcome: an item of the list, or what a redirect led to. */
export interface Hop {
  readonly url: Url
  readonly datum: DbDatum
  readonly queueId: string
  /** Representative URL that redirects led to, if it is not the URL itself. */
  readonly representative?: string
}

/** What an outcome says of the request behind it. */
export interface RequestFacts {
  readonly turn?: Turn
  readonly robotsFetchedMs?: number
}

/** An outcome without a request: denied by robots.txt, a scheme that is not spoken, … */
export function outcomeWithoutRequest(
  hop: Hop,
  nowMs: number,
  said: { status: FetchStatus; protocolStatus: ProtocolStatusName; cause: string; causeClass: string; robotsFetchedMs?: number | undefined },
): FetchOutcome {
  const { status, protocolStatus, cause, causeClass, robotsFetchedMs } = said
  return {
    url: hop.url,
    status,
    protocolStatus,
    datum: hop.datum,
    timing: { startMs: nowMs, endMs: nowMs },
    cause,
    causeClass,
    ...(robotsFetchedMs === undefined ? {} : { robotsFetchedMs }),
    metadata: { ...baseMetadata(hop, protocolStatus, 0, cause), [metadataKeys.cause]: cause },
  }
}

/** The outcome of a request that got no usable answer. */
export function outcomeOfFailure(
  hop: Hop,
  { failure, timing, address }: Pick<HttpFailure, 'failure' | 'timing' | 'address'>,
  facts: RequestFacts,
): FetchOutcome {
  const { status, protocolStatus } = failureRule(failure.failureClass)
  return {
    url: hop.url,
    status,
    protocolStatus,
    datum: hop.datum,
    timing,
    ...(address === undefined ? {} : { address }),
    cause: failure.message,
    causeClass: failure.failureClass,
    ...factsOf(hop, facts),
    metadata: { ...baseMetadata(hop, protocolStatus, 0, failure.message), [metadataKeys.cause]: failure.message },
  }
}

/** What a failure without an answer means for the record: retried later, but an address that the guard refuses is gone. */
export function failureRule(failureClass: FailureClass | 'robots'): { readonly status: FetchStatus; readonly protocolStatus: ProtocolStatusName } {
  if (failureClass === 'guard') return { status: 'fetch_gone', protocolStatus: 'access_denied' }
  return { status: 'fetch_retry', protocolStatus: failureClass === 'aborted' ? 'retry' : 'exception' }
}

/** The outcome of an answer by its rule. */
export function outcomeOfAnswer(
  hop: Hop,
  answer: HttpAnswer,
  { rule, redirect, facts, config }: { rule: StatusRule; redirect?: Redirect | undefined; facts: RequestFacts; config: HttpConfig },
): FetchOutcome {
  const { exchange, status, headers, truncated, timing } = answer
  const contentType = headerValueLike(headers, 'content-type')
  const modifiedTimeMs = parseHttpDate(headerValue(headers, 'last-modified') ?? '')
  const cause = causeOf(rule, status, redirect)
  return {
    url: hop.url,
    status: rule.status,
    protocolStatus: rule.protocolStatus,
    datum: hop.datum,
    timing,
    httpStatus: status,
    ...(contentType === undefined ? {} : { contentType }),
    contentLengthBytes: exchange.payload.length,
    ...(modifiedTimeMs === undefined ? {} : { modifiedTimeMs }),
    ...(redirect === undefined ? {} : { redirect }),
    ...(truncated === undefined ? {} : { truncated }),
    ...(exchange.address === undefined ? {} : { address: exchange.address }),
    protocol: exchange.protocol,
    ...(cause === undefined ? {} : { cause, causeClass: 'http' }),
    ...factsOf(hop, facts),
    metadata: answerMetadata(hop, answer, { rule, modifiedTimeMs, cause: cause ?? redirect?.to, config }),
  }
}

function causeOf({ status }: StatusRule, httpStatus: number, redirect: Redirect | undefined): string | undefined {
  if (status === 'fetch_retry' || status === 'fetch_gone') return `HTTP ${httpStatus}`
  return redirect?.dropped === undefined ? undefined : `redirect not followed: ${redirect.dropped}`
}

function factsOf({ url }: Hop, { turn, robotsFetchedMs }: RequestFacts): Partial<FetchOutcome> {
  return {
    ...(turn === undefined ? {} : { ...turnFacts(turn), ...(turn.queueId === hostOf(url) ? {} : { queueId: turn.queueId }) }),
    ...(robotsFetchedMs === undefined ? {} : { robotsFetchedMs }),
  }
}

interface AnswerFacts {
  readonly rule: StatusRule
  readonly modifiedTimeMs: number | undefined
  readonly cause: string | undefined
  readonly config: HttpConfig
}

function answerMetadata(hop: Hop, { status, headers, timing }: HttpAnswer, { rule, modifiedTimeMs, cause, config }: AnswerFacts): Metadata {
  const metadata: Record<string, string> = { ...baseMetadata(hop, rule.protocolStatus, modifiedTimeMs ?? 0, cause) }
  metadata[metadataKeys.httpCode] = String(status)
  if (config.storesResponseTime) metadata[metadataKeys.responseTime] = String(responseTimeMs(timing))
  if (rule.status === 'fetch_success' || rule.status === 'fetch_notmodified') {
    setValidator(metadata, hop, metadataKeys.etag, headerValue(headers, 'etag'), rule)
    setValidator(metadata, hop, metadataKeys.lastModified, headerValue(headers, 'last-modified'), rule)
  }
  if (rule.status === 'fetch_retry' || rule.status === 'fetch_gone') metadata[metadataKeys.cause] = cause ?? ''
  return metadata
}

/** A validator of the new answer; an empty one takes the place of an old one that a 200 no longer has. */
function setValidator(metadata: Record<string, string>, { datum }: Hop, key: string, value: string | undefined, { status }: StatusRule): void {
  if (value !== undefined && value.length <= 500) metadata[key] = value
  else if (status === 'fetch_success' && (datum.metadata[key] ?? '') !== '') metadata[key] = ''
}

function responseTimeMs({ startMs, endMs }: FetchTiming): number {
  return endMs - startMs
}

/** `_pst_` in Nutch's words (ProtocolStatus.toString), and the representative URL. */
function baseMetadata(hop: Hop, protocolStatus: ProtocolStatusName, lastModifiedMs: number, argument: string | undefined): Metadata {
  const status = `${protocolStatus}(${protocolStatusCodes[protocolStatus]}), lastModified=${lastModifiedMs}`
  return {
    [metadataKeys.protocolStatus]: argument === undefined ? status : `${status}: ${argument}`,
    ...(hop.representative === undefined || hop.representative === hop.url ? {} : { [metadataKeys.representative]: hop.representative }),
  }
}
