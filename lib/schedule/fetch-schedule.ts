import type { DbDatum } from '../record/records.js'

/** What a fetch says about the content: judged by signature or by a 304. */
export type PageChange = 'modified' | 'notmodified' | 'unknown'

/** A fetch that got an answer worth keeping: success, redirect or not modified. */
export interface FetchedPage {
  /** The record as it was, with what the fetch added to its metadata. */
  readonly datum: DbDatum
  /** The record's modification time before this fetch, epoch ms; 0 if not known. */
  readonly previousModifiedMs: number
  /** When the page was fetched, epoch ms. */
  readonly fetchTimeMs: number
  /** Modification time that the fetch is believed to tell, epoch ms; 0 if it tells none. */
  readonly modifiedTimeMs: number
  readonly change: PageChange
}

/**
 * Decides when a URL is fetched next (Nutch's FetchSchedule). Pure: every method gives a new record, and the same answer for the same input.
 * Whatever it is given, intervals stay within 1…2³¹−1 s, times within what a Date can hold, and the next fetch lies after the last.
 */
export interface FetchSchedule {
  /** `db.fetch.interval.max`: a longer interval makes a page be fetched again whatever its state. */
  readonly maxIntervalS: number
  /** A record new to the CrawlDb: due at `nowMs`, with the interval for its URL and no retries. */
  initialize(datum: DbDatum, nowMs: number): DbDatum
  /** After success, redirect or not modified: next fetch time, interval and modification time; retries 0. The status is the caller's. */
  onFetched(page: FetchedPage): DbDatum
  /** After a failure that may pass: due a day after `fetchTimeMs`, one more retry. */
  onRetry(datum: DbDatum, fetchTimeMs: number): DbDatum
  /** After a failure that will stay: the interval grows by half, up to nine tenths of the maximum. */
  onGone(datum: DbDatum, fetchTimeMs: number): DbDatum
  /** Forgets what is known of the content, so that the next fetch is a full one; at once if `isAsap`, else when it is due, at the latest
   *  a maximum interval after `nowMs`. */
  forceRefetch(datum: DbDatum, isAsap: boolean, nowMs: number): DbDatum
  /** Whether the record is due at `nowMs`. A time further off than the maximum interval is due: a clock was wrong. */
  shouldFetch(datum: DbDatum, nowMs: number): boolean
  /** A due record as it goes into a fetch list: a time or interval beyond the maximum is brought back. The same object if nothing is. */
  asDue(datum: DbDatum, nowMs: number): DbDatum
  /** What gives a record its interval, where the class has rules for that. */
  intervalRule?(datum: DbDatum): string
}
