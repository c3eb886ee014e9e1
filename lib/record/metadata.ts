/** String keys to string values, kept in the order they were set. Keys with a fixed meaning are Nutch's (org.apache.nutch.metadata.Nutch). */
export type Metadata = Readonly<Record<string, string>>

/** Reserved metadata keys. */
export const metadataKeys = {
  /** Time of the generate that locked the record, epoch ms. */
  generateTime: '_ngt_',
  /** Name of the segment that holds the lock. */
  segmentName: 'nutch.segment.name',
  /** When the lock ends by itself, epoch ms. */
  lockedUntil: '_ngu_',
  /** Protocol status of the last fetch, in Nutch's words: `success(1), lastModified=0`. */
  protocolStatus: '_pst_',
  /** Representative URL of a redirect. */
  representative: '_repr_',
  /** Response time of the last fetch, ms. */
  responseTime: '_rs_',
  /** Interval that the adaptive schedules must keep, seconds. */
  fixedInterval: 'fixedInterval',
  /** Delay that generate gives the fetcher for a host, ms. */
  variableFetchDelay: '_variableFetchDelay_',
  depth: '_depth_',
  maxDepth: '_maxdepth_',
  /** Last time an inlink was seen, epoch seconds. */
  orphan: '_orphan_',
  httpCode: 'nutch.protocol.code',
  contentType: 'Content-Type',
  /** Validators of the last response, for conditional requests (RFC 9110 §13). */
  etag: 'ETag',
  lastModified: 'Last-Modified',
  /** URL that the page names as canonical. */
  canonical: 'canonical',
  /** Why the last fetch did not succeed, for people. */
  cause: '_cause_',
} as const

/** The keys that make up a lock of generate: time, segment and end. */
export const lockKeys: readonly string[] = [metadataKeys.generateTime, metadataKeys.segmentName, metadataKeys.lockedUntil]

export const noMetadata: Metadata = Object.freeze({})

/** `base` with `key` set to `value`. */
export function withMetadata(base: Metadata, key: string, value: string): Metadata {
  return { ...base, [key]: value }
}

/** `base` without `keys`; the same object if it holds none of them. */
export function withoutMetadata(base: Metadata, keys: readonly string[]): Metadata {
  if (base === noMetadata || !keys.some(key => Object.hasOwn(base, key))) return base
  const kept: Record<string, string> = {}
  for (const key of Object.keys(base)) if (!keys.includes(key)) kept[key] = base[key] as string // its own key
  return kept
}
