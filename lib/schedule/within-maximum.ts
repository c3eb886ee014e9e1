import type { DbDatum } from '../record/records.js'
import type { FetchSchedule } from './fetch-schedule.js'

/** A record as its fetch at `fetchTimeMs` left it; one whose interval grew beyond the maximum is to be fetched anew whatever its state, as
 *  Nutch's CrawlDbReducer has it. The same object if nothing is to be done. */
export function withinMaximum(schedule: FetchSchedule, datum: DbDatum, fetchTimeMs: number): DbDatum {
  return datum.fetchIntervalS > schedule.maxIntervalS ? schedule.forceRefetch(datum, false, fetchTimeMs) : datum
}
