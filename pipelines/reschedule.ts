import { metadataKeys } from '../lib/record/metadata.js'
import type { DbDatum } from '../lib/record/records.js'
import { boundedIntervalS, boundedTimeMs, lastFetchTimeMs } from '../lib/schedule/bounds.js'

/** What an operator wants of chosen records' schedules. What is not given stays. */
export interface Rescheduling {
  /** When they are due, epoch ms; `now` is the time of the job. */
  readonly dueMs?: number | 'now' | undefined
  /** Time between two fetches, seconds; counts from the last fetch on. */
  readonly intervalS?: number | undefined
  /** Whether schedules must keep this interval (`fixedInterval`). */
  readonly isFixed?: boolean | undefined
  /** Records that are db_gone or db_parse_failed are due as if never fetched; others are left alone. */
  readonly retriesGone?: boolean | undefined
}

/** The record with its schedule changed; the record itself if nothing changes. */
export function reschedule(datum: DbDatum, wanted: Rescheduling, nowMs: number): DbDatum {
  let next = datum
  if (wanted.retriesGone === true) {
    if (datum.status !== 'db_gone' && datum.status !== 'db_parse_failed') return datum
    next = { ...next, status: 'db_unfetched', retries: 0, fetchTimeMs: nowMs }
  }
  if (wanted.intervalS !== undefined) next = withInterval(next, wanted.intervalS, wanted.isFixed === true)
  if (wanted.dueMs !== undefined) next = { ...next, fetchTimeMs: wanted.dueMs === 'now' ? nowMs : boundedTimeMs(wanted.dueMs) }
  return isSame(datum, next) ? datum : next
}

function withInterval(datum: DbDatum, wantedS: number, isFixed: boolean): DbDatum {
  const fetchIntervalS = boundedIntervalS(wantedS, 1)
  const fetchedMs = lastFetchTimeMs(datum)
  return {
    ...datum,
    fetchIntervalS,
    fetchTimeMs: fetchedMs > 0 ? boundedTimeMs(fetchedMs + fetchIntervalS * 1000) : datum.fetchTimeMs,
    metadata: isFixed ? { ...datum.metadata, [metadataKeys.fixedInterval]: String(fetchIntervalS) } : datum.metadata,
  }
}

function isSame(a: DbDatum, b: DbDatum): boolean {
  const fixed = metadataKeys.fixedInterval
  return (
    a.status === b.status &&
    a.fetchTimeMs === b.fetchTimeMs &&
    a.fetchIntervalS === b.fetchIntervalS &&
    a.retries === b.retries &&
    a.metadata[fixed] === b.metadata[fixed]
  )
}
