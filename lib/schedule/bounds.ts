import type { DbDatum } from '../record/records.js'

const maxIntervalS = 2_147_483_647
/** What a Date can hold, less the longest interval, so that a next fetch time can be told as well. */
const maxTimeMs = 8.64e15 - (maxIntervalS + 1) * 1000

/** A whole number of seconds from 1 to 2³¹−1 (Nutch stores a Java int); what is no number becomes `fallbackS`. */
export function boundedIntervalS(intervalS: number, fallbackS: number): number {
  if (Number.isNaN(intervalS)) return fallbackS
  return Math.min(maxIntervalS, Math.max(1, Math.round(intervalS)))
}

/** A whole number of epoch ms that a Date can hold, not before 1970; what is no number becomes 0. */
export function boundedTimeMs(timeMs: number): number {
  if (Number.isNaN(timeMs)) return 0
  return Math.min(maxTimeMs, Math.max(0, Math.round(timeMs)))
}

/** When the record was last fetched, as far as its schedule tells: 0 before the first fetch, else one interval before it is due. */
export function lastFetchTimeMs(datum: DbDatum): number {
  return datum.status === 'db_unfetched' ? 0 : datum.fetchTimeMs - datum.fetchIntervalS * 1000
}
