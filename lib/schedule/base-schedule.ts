import { metadataKeys, withoutMetadata } from '../record/metadata.js'
import type { DbDatum } from '../record/records.js'
import { boundedIntervalS, boundedTimeMs } from './bounds.js'
import type { FetchedPage, FetchSchedule } from './fetch-schedule.js'

const retryDelayMs = 86_400_000
const maxRetries = 255

/** What all schedules share (Nutch's AbstractFetchSchedule): all but the timing of a page that was fetched. */
export abstract class BaseSchedule implements FetchSchedule {
  constructor(
    readonly maxIntervalS: number,
    protected readonly defaultIntervalS: number,
  ) {}

  abstract onFetched(page: FetchedPage): DbDatum

  /** The interval a URL starts with, seconds. */
  protected initialIntervalS(_datum: DbDatum): number {
    return this.defaultIntervalS
  }

  initialize(datum: DbDatum, nowMs: number): DbDatum {
    return { ...datum, fetchTimeMs: boundedTimeMs(nowMs), retries: 0, fetchIntervalS: this.initialIntervalS(datum) }
  }

  onRetry(datum: DbDatum, fetchTimeMs: number): DbDatum {
    return {
      ...datum,
      fetchTimeMs: boundedTimeMs(fetchTimeMs) + retryDelayMs,
      retries: Math.min(maxRetries, datum.retries + 1),
      fetchIntervalS: this.knownIntervalS(datum),
    }
  }

  onGone(datum: DbDatum, fetchTimeMs: number): DbDatum {
    const longerS = this.knownIntervalS(datum) * 1.5
    const fetchIntervalS = longerS < this.maxIntervalS ? boundedIntervalS(longerS, 1) : this.cappedIntervalS()
    return { ...datum, fetchIntervalS, fetchTimeMs: boundedTimeMs(fetchTimeMs) + fetchIntervalS * 1000 }
  }

  forceRefetch(datum: DbDatum, isAsap: boolean, nowMs: number): DbDatum {
    const { signature: _, ...rest } = datum
    const timeMs = boundedTimeMs(nowMs)
    return {
      ...rest,
      status: 'db_unfetched',
      fetchIntervalS: datum.fetchIntervalS > this.maxIntervalS ? this.cappedIntervalS() : this.knownIntervalS(datum),
      fetchTimeMs: isAsap ? timeMs : Math.min(datum.fetchTimeMs, timeMs + this.maxIntervalS * 1000),
      retries: 0,
      modifiedTimeMs: 0,
      metadata: withoutMetadata(datum.metadata, [metadataKeys.etag, metadataKeys.lastModified]),
    }
  }

  shouldFetch(datum: DbDatum, nowMs: number): boolean {
    return datum.fetchTimeMs <= nowMs || this.isBeyondMaximum(datum, nowMs)
  }

  asDue(datum: DbDatum, nowMs: number): DbDatum {
    if (!this.isBeyondMaximum(datum, nowMs)) return datum
    const fetchIntervalS = datum.fetchIntervalS > this.maxIntervalS ? this.cappedIntervalS() : datum.fetchIntervalS
    return { ...datum, fetchIntervalS, fetchTimeMs: nowMs }
  }

  private isBeyondMaximum(datum: DbDatum, nowMs: number): boolean {
    return datum.fetchTimeMs - nowMs > this.maxIntervalS * 1000
  }

  private cappedIntervalS(): number {
    return boundedIntervalS(this.maxIntervalS * 0.9, 1)
  }

  /** The record's own interval; 0 and less mean the default. */
  protected knownIntervalS(datum: DbDatum): number {
    return datum.fetchIntervalS > 0 ? boundedIntervalS(datum.fetchIntervalS, this.defaultIntervalS) : this.initialIntervalS(datum)
  }
}
