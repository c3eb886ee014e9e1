import { type WarcField, warcDate } from './warc-header.js'

/** The capture that a revisit record refers to. */
export interface EarlierCapture {
  readonly url: string
  /** Absent if it is not known. */
  readonly dateMs?: number
  /** SHA-1 of its payload in base32; of a 304 the payload cannot be had from the answer. */
  readonly payloadDigest?: string
}

const profiles = {
  same: 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
  notModified: 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
} as const

/** The fields of a revisit record that say what it repeats, and how that is known (WARC/1.1 §6.7). `status` is that of the answer. */
export function revisitFields(earlier: EarlierCapture, status: number | undefined): WarcField[] {
  const refersTo: WarcField[] = [
    ['WARC-Refers-To-Target-URI', earlier.url],
    ...(earlier.dateMs === undefined ? [] : [['WARC-Refers-To-Date', warcDate(earlier.dateMs)] as const]),
  ]
  if (status === 304) return [['WARC-Profile', profiles.notModified], ...refersTo]
  return [['WARC-Profile', profiles.same], ...refersTo, ['WARC-Truncated', 'length']]
}
