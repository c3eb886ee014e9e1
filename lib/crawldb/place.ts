import { metadataKeys } from '../record/metadata.js'
import type { DbDatum } from '../record/records.js'
import { bucketOf } from './sort-bucket.js'
import { dueKey, signatureKey, waitKey } from './tables.js'

/** Everything that waits up to this point, inclusive, was moved to `due`: a time, and a key where only a part of that time was moved. */
export interface WaterMark {
  readonly timeMs: number
  readonly key: string
}

export type SortValueOf = (datum: DbDatum) => number

/** Where a record stands in the indexes: `wait` until its time, then `due`. A pure function of the record and the water mark. */
export interface Place {
  readonly indexKey: string
  /** Set if the place is in `due`. */
  readonly bucket?: string
}

export function placeOf(key: string, datum: DbDatum, waterMark: WaterMark, sortValueOf: SortValueOf): Place {
  const timeMs = waitTimeOf(datum)
  if (!isPassed(timeMs, key, waterMark)) return { indexKey: waitKey(timeMs, key) }
  const bucket = bucketOf(sortValueOf(datum))
  return { indexKey: dueKey(key, bucket), bucket }
}

export function signatureKeyOf(key: string, datum: DbDatum): string | undefined {
  return datum.signature === undefined ? undefined : signatureKey(datum.signature, key)
}

/** When the record is to be looked at again: when it is due, or when its lock ends if that is later. Whole ms from 1970 on. */
export function waitTimeOf(datum: DbDatum): number {
  return Math.max(0, Math.floor(datum.fetchTimeMs), lockedUntilMs(datum))
}

/** End of the lock that generate set, epoch ms; 0 if there is none. */
export function lockedUntilMs(datum: DbDatum): number {
  const until = datum.metadata[metadataKeys.lockedUntil]
  return until === undefined ? 0 : Number(until) || 0
}

function isPassed(timeMs: number, key: string, waterMark: WaterMark): boolean {
  return timeMs < waterMark.timeMs || (timeMs === waterMark.timeMs && key <= waterMark.key)
}
