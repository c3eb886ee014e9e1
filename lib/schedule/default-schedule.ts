import type { DbDatum } from '../record/records.js'
import { BaseSchedule } from './base-schedule.js'
import { boundedTimeMs } from './bounds.js'
import type { FetchedPage } from './fetch-schedule.js'

/** Fetches a page again after its interval, whether it changes or not (Nutch's DefaultFetchSchedule). */
export class DefaultSchedule extends BaseSchedule {
  /** The interval after a fetch, seconds. */
  protected nextIntervalS(datum: DbDatum): number {
    return this.knownIntervalS(datum)
  }

  onFetched({ datum, previousModifiedMs, fetchTimeMs, modifiedTimeMs, change }: FetchedPage): DbDatum {
    const timeMs = boundedTimeMs(fetchTimeMs)
    const fetchIntervalS = this.nextIntervalS(datum)
    return {
      ...datum,
      retries: 0,
      fetchIntervalS,
      fetchTimeMs: timeMs + fetchIntervalS * 1000,
      modifiedTimeMs: nextModifiedMs(change, timeMs, modifiedTimeMs, previousModifiedMs),
    }
  }
}

/** A page that did not change keeps the time it had; one that did, or of which no time is known, takes that of the fetch. */
export function nextModifiedMs(change: FetchedPage['change'], fetchTimeMs: number, modifiedTimeMs: number, previousModifiedMs: number): number {
  if (change === 'notmodified') return boundedTimeMs(previousModifiedMs)
  return change === 'modified' || !(modifiedTimeMs > 0) ? fetchTimeMs : boundedTimeMs(modifiedTimeMs)
}
