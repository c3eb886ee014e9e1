import { lockKeys, metadataKeys, withoutMetadata } from '../record/metadata.js'
import type { DbDatum } from '../record/records.js'

/** A record's claim by a fetch list: only an outcome of that segment, or its end, takes it away. */
export interface Lock {
  readonly segment: string
  /** Time of the generate, epoch ms. */
  readonly timeMs: number
  readonly untilMs: number
}

/** The record, locked. */
export function lockDatum(datum: DbDatum, { segment, timeMs, untilMs }: Lock): DbDatum {
  const lock = {
    [metadataKeys.generateTime]: String(timeMs),
    [metadataKeys.segmentName]: segment,
    [metadataKeys.lockedUntil]: String(untilMs),
  }
  return { ...datum, metadata: { ...withoutMetadata(datum.metadata, lockKeys), ...lock } }
}

/** The record without any lock. */
export function unlockDatum(datum: DbDatum): DbDatum {
  return { ...datum, metadata: withoutMetadata(datum.metadata, lockKeys) }
}

/** The lock that stands on a record, ended or not. */
export function lockOf(datum: DbDatum): Lock | undefined {
  const { [metadataKeys.segmentName]: segment, [metadataKeys.generateTime]: time, [metadataKeys.lockedUntil]: until } = datum.metadata
  if (segment === undefined || until === undefined) return undefined
  return { segment, timeMs: Number(time) || 0, untilMs: Number(until) || 0 }
}
