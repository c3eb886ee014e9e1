import type { DbConfig } from '../../config/db-options.js'
import { type Metadata, noMetadata } from '../../record/metadata.js'
import type { DbDatum } from '../../record/records.js'
import type { FetchSchedule, PageChange } from '../../schedule/fetch-schedule.js'
import { withinMaximum } from '../../schedule/within-maximum.js'
import { bestLink, bestLinks } from '../../score/best-links.js'
import type { Scoring } from '../../score/create-scoring.js'
import type { LinkContribution } from '../../score/scoring-filter.js'
import { type Fetched, fetchedOf, type PageUpdates, withoutFetchFacts, withoutLock } from './page-updates.js'
import { isPurged } from './purge-rule.js'

export interface UpdateRules {
  readonly schedule: FetchSchedule
  readonly scoring: Scoring
  readonly db: Pick<DbConfig, 'isAdditionAllowed' | 'maxInlinks' | 'purgesGone' | 'purgesOrphans' | 'retryMax' | 'parseMetadataKeys'>
  /** Time of the job, epoch ms. */
  readonly nowMs: number
}

/**
 * The state table of the CrawlDb (Nutch's CrawlDbReducer): what becomes of a record, or of a URL without one, by all that a job says of it.
 * The old status is not consulted, only whether there is a record. Gives undefined where no record is to stand, and `given` itself where
 * nothing changes.
 */
export function reduceUpdate(given: DbDatum | undefined, updates: PageUpdates, rules: UpdateRules): DbDatum | undefined {
  const old = given !== undefined && isPurged(given, rules.db) ? undefined : given
  if (old === undefined && !rules.db.isAdditionAllowed) return undefined
  const links = updates.links.length > rules.db.maxInlinks ? bestLinks(updates.links, rules.db.maxInlinks) : updates.links
  const fetched = fetchedOf(old, updates, rules.nowMs)
  if (fetched === undefined && links.length === 0) return old === undefined ? undefined : rules.scoring.orphaned(old, rules.nowMs)
  const datum = fetched === undefined ? (old ?? linkedDatum(updates, links, rules)) : released(fetchedDatum(old, fetched, updates, rules), fetched)
  return rules.scoring.update({ old, datum, links, nowMs: rules.nowMs })
}

/** A page that only links tell of: due now, not fetched yet. The best link gives it its metadata. */
function linkedDatum({ url }: PageUpdates, links: readonly LinkContribution[], { schedule, scoring, nowMs }: UpdateRules): DbDatum {
  const best = bestLink(links)
  const blank: DbDatum = {
    url,
    status: 'db_unfetched',
    fetchTimeMs: nowMs,
    modifiedTimeMs: 0,
    retries: 0,
    fetchIntervalS: 0,
    score: 0,
    metadata: withoutFetchFacts(best?.metadata ?? noMetadata),
  }
  const datum = scoring.initial(schedule.initialize(blank, nowMs))
  return best?.fetchIntervalS === undefined ? datum : { ...datum, fetchIntervalS: Math.max(1, Math.round(best.fetchIntervalS)) }
}

function fetchedDatum(old: DbDatum | undefined, fetched: Fetched, updates: PageUpdates, rules: UpdateRules): DbDatum {
  const { base, status, fetchTimeMs } = fetched
  const modifiedTimeMs = fetched.modifiedTimeMs || (old?.modifiedTimeMs ?? 0)
  const kept = withSignature({ ...base, modifiedTimeMs }, old === undefined ? base.signature : old.signature)
  switch (status) {
    case 'fetch_success':
    case 'fetch_notmodified':
    case 'fetch_redir_temp':
    case 'fetch_redir_perm':
      return answeredDatum(old, fetched, kept, updates, rules)
    case 'fetch_retry': {
      const again = rules.schedule.onRetry(kept, fetchTimeMs)
      if (again.retries < rules.db.retryMax) return { ...again, status: 'db_unfetched' }
      return { ...rules.schedule.onGone(again, fetchTimeMs), status: 'db_gone' }
    }
    case 'fetch_gone':
      return { ...rules.schedule.onGone(kept, fetchTimeMs), status: 'db_gone' }
    case 'parse_failed':
      return { ...rules.schedule.onGone(kept, fetchTimeMs), status: 'db_parse_failed' }
    default:
      return status satisfies never
  }
}

type Answered = 'fetch_success' | 'fetch_notmodified' | 'fetch_redir_temp' | 'fetch_redir_perm'
const answeredStatus = {
  fetch_success: 'db_fetched',
  fetch_notmodified: 'db_notmodified',
  fetch_redir_temp: 'db_redir_temp',
  fetch_redir_perm: 'db_redir_perm',
} as const

function answeredDatum(old: DbDatum | undefined, fetched: Fetched, kept: DbDatum, { parse }: PageUpdates, rules: UpdateRules): DbDatum {
  const status = fetched.status as Answered // the caller's switch let no other through
  const change = changeOf(old, fetched)
  const scheduled = rules.schedule.onFetched({
    datum: { ...kept, metadata: withParseMetadata(kept.metadata, parse?.metadata, rules.db.parseMetadataKeys) },
    previousModifiedMs: old?.modifiedTimeMs ?? 0,
    fetchTimeMs: fetched.fetchTimeMs,
    modifiedTimeMs: kept.modifiedTimeMs,
    change,
  })
  const result: DbDatum =
    change === 'notmodified'
      ? { ...scheduled, status: 'db_notmodified' }
      : withSignature({ ...scheduled, status: answeredStatus[status] }, status === 'fetch_success' ? fetched.signature : undefined)
  return withinMaximum(rules.schedule, result, fetched.fetchTimeMs)
}

/** Only a success is judged by signature; a redirect never is (NUTCH-1422). */
function changeOf(old: DbDatum | undefined, { status, signature }: Fetched): PageChange {
  if (status === 'fetch_notmodified') return 'notmodified'
  if (status !== 'fetch_success' || old?.signature === undefined || signature === undefined) return 'unknown'
  return Buffer.compare(old.signature, signature) === 0 ? 'notmodified' : 'modified'
}

function withParseMetadata(metadata: Metadata, parsed: Metadata | undefined, keys: readonly string[]): Metadata {
  if (parsed === undefined || keys.length === 0) return metadata
  const result: Record<string, string> = { ...metadata }
  for (const key of keys) if (Object.hasOwn(parsed, key)) result[key] = parsed[key] as string // hasOwn in the same line
  return result
}

function withSignature(datum: DbDatum, signature: Uint8Array | undefined): DbDatum {
  const { signature: _, ...rest } = datum
  return signature === undefined ? rest : { ...rest, signature }
}

function released(datum: DbDatum, { segment }: Fetched): DbDatum {
  return { ...datum, metadata: withoutLock(datum.metadata, segment) }
}
