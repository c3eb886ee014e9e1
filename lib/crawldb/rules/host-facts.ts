import { type DbStatus, dbStatuses } from '../../record/status.js'
import type { Url } from '../../record/url.js'
import { type DigestState, QuantileDigest } from '../stats/quantile-digest.js'
import type { VariableOf } from './expression.js'

/** What is known of one host (Nutch's HostDatum). Plain data: stored as JSON. */
export interface HostFacts {
  readonly host: string
  /** Records of the CrawlDb by status; statuses without records are absent. */
  readonly counts: Readonly<Partial<Record<DbStatus, number>>>
  /** Failures to resolve the name in a row, since the last time it was resolved. */
  readonly dnsFailures: number
  /** Failures to connect in a row, since the last answer. */
  readonly connectionFailures: number
  /** Of the last outcome, epoch ms; 0 before the first. */
  readonly lastFetchMs: number
  /** The root page once it was answered, or where it redirects to. */
  readonly homepage?: string
  /** Milliseconds to the answer, of answered requests. */
  readonly responseMs: DigestState
}

/** A record that came, went or changed its status. */
export interface HostRecordChange {
  readonly kind: 'record'
  readonly from?: DbStatus
  readonly to?: DbStatus
}

/** An outcome of a fetch from the host. */
export interface HostOutcome {
  readonly kind: 'outcome'
  readonly url: Url
  readonly timeMs: number
  /** Whether the host sent an answer, whatever its status. */
  readonly isAnswered: boolean
  readonly causeClass?: string
  readonly responseMs?: number
  readonly redirectTo?: string
}

export type HostUpdate = HostRecordChange | HostOutcome

/** Coarse enough to be small, fine enough that a 95th percentile is one. */
const digestCompression = 60
const noResponses: DigestState = { min: 0, max: 0, centroids: [] }

/**
 * The facts of a host after one job (Nutch's UpdateHostDbReducer). Does not depend on the order of the updates: outcomes count by their
 * time, then URL. Undefined where the CrawlDb holds no record of the host any more.
 */
export function reduceHostFacts(host: string, old: HostFacts | undefined, updates: readonly HostUpdate[]): HostFacts | undefined {
  const counts = countsAfter(old?.counts ?? {}, updates)
  if (Object.keys(counts).length === 0) return undefined
  const outcomes = updates
    .filter(update => update.kind === 'outcome')
    .sort((a, b) => a.timeMs - b.timeMs || (a.url < b.url ? -1 : a.url > b.url ? 1 : 0))
  let { dnsFailures, connectionFailures, homepage } = old ?? { dnsFailures: 0, connectionFailures: 0 }
  const responses = digestOf(old?.responseMs)
  for (const outcome of outcomes) {
    if (outcome.isAnswered) {
      dnsFailures = 0
      connectionFailures = 0
      if (outcome.responseMs !== undefined) responses.add(outcome.responseMs)
      if (isRoot(outcome.url)) homepage = outcome.redirectTo ?? outcome.url
    } else if (outcome.causeClass === 'dns') dnsFailures++
    else if (outcome.causeClass === 'connect' || outcome.causeClass === 'tls' || outcome.causeClass === 'timeout') {
      dnsFailures = 0
      connectionFailures++
    }
  }
  return {
    host,
    counts,
    dnsFailures,
    connectionFailures,
    lastFetchMs: Math.max(old?.lastFetchMs ?? 0, outcomes.at(-1)?.timeMs ?? 0),
    ...(homepage === undefined ? {} : { homepage }),
    responseMs: responses.count === 0 ? noResponses : responses.toJSON(),
  }
}

function countsAfter(before: HostFacts['counts'], updates: readonly HostUpdate[]): HostFacts['counts'] {
  const counts: Partial<Record<DbStatus, number>> = { ...before }
  for (const update of updates) {
    if (update.kind !== 'record') continue
    if (update.from !== undefined) counts[update.from] = (counts[update.from] ?? 0) - 1
    if (update.to !== undefined) counts[update.to] = (counts[update.to] ?? 0) + 1
  }
  return Object.fromEntries(dbStatuses.flatMap(status => ((counts[status] ?? 0) > 0 ? [[status, counts[status]]] : [])))
}

function digestOf(state: DigestState | undefined): QuantileDigest {
  return state === undefined || state.centroids.length === 0 ? new QuantileDigest(digestCompression) : QuantileDigest.from(state, digestCompression)
}

function isRoot(url: string): boolean {
  return url.endsWith('/') && url.indexOf('/', url.indexOf('://') + 3) === url.length - 1
}

/** The time below which a share `quantile` of the host's answers came, ms; undefined before the first answer. */
export function responseQuantileMs({ responseMs }: HostFacts, quantile: number): number | undefined {
  return responseMs.centroids.length === 0 ? undefined : digestOf(responseMs).quantile(quantile)
}

function meanMs({ responseMs: { centroids } }: HostFacts): number | undefined {
  const count = centroids.reduce((sum, [, weight]) => sum + weight, 0)
  return count === 0 ? undefined : centroids.reduce((sum, [mean, weight]) => sum + mean * weight, 0) / count
}

const countNames: Readonly<Record<string, readonly DbStatus[]>> = {
  unfetched: ['db_unfetched'],
  fetched: ['db_fetched'],
  notModified: ['db_notmodified'],
  redirTemp: ['db_redir_temp'],
  redirPerm: ['db_redir_perm'],
  redirs: ['db_redir_temp', 'db_redir_perm'],
  gone: ['db_gone'],
  duplicate: ['db_duplicate'],
  orphan: ['db_orphan'],
  parseFailed: ['db_parse_failed'],
  ok: ['db_fetched', 'db_notmodified'],
  numRecords: dbStatuses,
}

/** Variables of an expression over a host, as in Nutch: counts (unfetched, fetched, notModified, redirTemp, redirPerm, redirs, gone, ok,
 *  numRecords), dnsFailures, connectionFailures, homepage, lastFetchTime; `min._rs_`, `avg._rs_`, `max._rs_` and percentiles such as
 *  `pct95._rs_` of the response time in ms. */
export const hostVariable: VariableOf<HostFacts> = name => {
  const statuses = Object.hasOwn(countNames, name) ? (countNames[name] ?? []) : undefined
  if (statuses !== undefined) return ({ counts }) => statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
  const percentile = /^pct(\d{1,2}|100)\._rs_$/.exec(name)?.[1]
  if (percentile !== undefined) return facts => responseQuantileMs(facts, Number(percentile) / 100)
  switch (name) {
    case 'host':
      return facts => facts.host
    case 'dnsFailures':
      return facts => facts.dnsFailures
    case 'connectionFailures':
      return facts => facts.connectionFailures
    case 'homepage':
      return facts => facts.homepage
    case 'lastFetchTime':
      return facts => facts.lastFetchMs
    case 'min._rs_':
      return facts => responseQuantileMs(facts, 0)
    case 'max._rs_':
      return facts => responseQuantileMs(facts, 1)
    case 'avg._rs_':
      return meanMs
    default:
      return () => undefined
  }
}
