import type { DbConfig } from '../../config/db-options.js'
import { finiteFloat32 } from '../../record/float32.js'
import { lockKeys } from '../../record/metadata.js'
import type { CrawlDatum, DbDatum } from '../../record/records.js'
import type { Seed } from '../../record/seed-line.js'
import type { Url } from '../../record/url.js'
import { boundedTimeMs, lastFetchTimeMs } from '../../schedule/bounds.js'
import type { FetchSchedule } from '../../schedule/fetch-schedule.js'
import type { Scoring } from '../../score/create-scoring.js'
import { withoutAnyLock } from './page-updates.js'
import { isPurged } from './purge-rule.js'

export interface InjectRules {
  readonly schedule: FetchSchedule
  readonly scoring: Scoring
  readonly db: Pick<DbConfig, 'injectedScore' | 'purgesGone' | 'purgesOrphans'>
  /** A seed replaces the record it meets. Goes before `updates`. */
  readonly overwrites: boolean
  /** A seed's metadata, and its score and interval where they are not the defaults, go into the record it meets. */
  readonly updates: boolean
  /** With `updates`: score, interval and modified time that a seed names go into the record it meets, also where they are the defaults; metadata does not. */
  readonly takesAll?: boolean
  /** Time of the job, epoch ms. */
  readonly nowMs: number
}

/** A seed as a record with status `injected`: due at the time of the job, with the score and interval of the seed list or the defaults. */
export function injectedDatum(url: Url, seed: Seed, rules: Pick<InjectRules, 'schedule' | 'db' | 'nowMs'>): CrawlDatum {
  const blank = blankDatum(url, seed.metadata, seed.score ?? rules.db.injectedScore)
  const { fetchIntervalS } = rules.schedule.initialize(blank, rules.nowMs)
  return { ...blank, status: 'injected', fetchTimeMs: rules.nowMs, fetchIntervalS: seed.fetchIntervalS ?? fetchIntervalS }
}

/**
 * What becomes of a record, or of a URL without one, when seeds name it (Nutch's InjectReducer): without `overwrites` or `updates` a record
 * stays as it is. Of several seeds the last counts; their score, interval and metadata are read, whatever their status. A lock stays.
 */
export function reduceInject(given: DbDatum | undefined, injected: readonly CrawlDatum[], rules: InjectRules): DbDatum | undefined {
  const old = given !== undefined && isPurged(given, rules.db) ? undefined : given
  const seed = injected.at(-1)
  if (seed === undefined || (old !== undefined && !rules.overwrites && !rules.updates)) return old
  const fresh = freshDatum(seed, rules)
  if (old === undefined) return fresh
  if (rules.overwrites) return { ...fresh, metadata: { ...fresh.metadata, ...lockOf(old) } }
  return rules.takesAll === true ? withClaims(old, seed, fresh) : updated(old, seed, fresh, rules)
}

function freshDatum(seed: CrawlDatum, { schedule, scoring, nowMs }: InjectRules): DbDatum {
  const blank = blankDatum(seed.url, withoutAnyLock(seed.metadata), seed.score)
  const modifiedTimeMs = seed.status === 'injected' ? boundedTimeMs(seed.modifiedTimeMs) : 0 // of a record of another db it is that of another copy
  const datum = schedule.initialize({ ...blank, modifiedTimeMs }, nowMs)
  return scoring.injected(namesInterval(seed) ? { ...datum, fetchIntervalS: Math.round(seed.fetchIntervalS) } : datum)
}

function namesInterval({ fetchIntervalS }: CrawlDatum): boolean {
  return fetchIntervalS >= 1 && fetchIntervalS <= 2_147_483_647
}

/** What a sitemap says of a record. A change after the last fetch is not of the copy that is known: asked for changes since then, a server would say that
 *  there are none. */
function withClaims(old: DbDatum, seed: CrawlDatum, { score, fetchIntervalS, modifiedTimeMs }: DbDatum): DbDatum {
  const isOfCopy = old.signature === undefined || modifiedTimeMs <= lastFetchTimeMs(old)
  return {
    ...old,
    score,
    fetchIntervalS: namesInterval(seed) ? fetchIntervalS : old.fetchIntervalS,
    modifiedTimeMs: modifiedTimeMs > 0 && isOfCopy ? modifiedTimeMs : old.modifiedTimeMs,
  }
}

/** Status and times stay; a change of interval shows from the next fetch on. */
function updated(old: DbDatum, seed: CrawlDatum, fresh: DbDatum, { schedule, db, nowMs }: InjectRules): DbDatum {
  const byDefaultS = schedule.initialize(fresh, nowMs).fetchIntervalS
  return {
    ...old,
    score: finiteFloat32(seed.score) === finiteFloat32(db.injectedScore) ? old.score : fresh.score,
    fetchIntervalS: fresh.fetchIntervalS === byDefaultS ? old.fetchIntervalS : fresh.fetchIntervalS,
    metadata: { ...old.metadata, ...fresh.metadata },
  }
}

function blankDatum(url: Url, metadata: CrawlDatum['metadata'], score: number): DbDatum {
  return {
    url,
    status: 'db_unfetched',
    fetchTimeMs: 0,
    modifiedTimeMs: 0,
    retries: 0,
    fetchIntervalS: 0,
    score: finiteFloat32(score),
    metadata,
  }
}

function lockOf({ metadata }: DbDatum): Record<string, string> {
  const lock: Record<string, string> = {}
  for (const key of lockKeys) {
    const value = metadata[key]
    if (value !== undefined) lock[key] = value
  }
  return lock
}
