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

/** Where a record stands in the indexes: `wait` until its time, then `due`. */
export interface Place {
  /** See `waitTimeOf`. */
  readonly timeMs: number
  /** Of its sort value; undefined in `wait`. */
  readonly bucket: string | undefined
}

/** A pure function of the record and the water mark. */
export function placeOf(key: string, datum: DbDatum, waterMark: WaterMark, sortValueOf: SortValueOf): Place {
  const timeMs = waitTimeOf(datum)
  return { timeMs, bucket: isPassed(timeMs, key, waterMark) ? bucketOf(sortValueOf(datum)) : undefined }
}

/** The key of the entry that stands for the record there. */
export function indexKeyOf(key: string, { timeMs, bucket }: Place): string {
  return bucket === undefined ? waitKey(timeMs, key) : dueKey(key, bucket)
}

/** Whether one entry stands for both places of a record. */
export function isSamePlace(a: Place, b: Place): boolean {
  return a.bucket === b.bucket && (a.bucket !== undefined || a.timeMs === b.timeMs)
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
