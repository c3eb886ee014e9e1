import type { Config } from '../lib/config/options.js'
import type { Counters } from '../lib/log/counters.js'
import type { Url } from '../lib/record/url.js'
import type { Segment } from '../lib/segment/segment.js'

export interface MergeJob {
  readonly segments: readonly Segment[]
  /** Folder that gets the new segments. */
  readonly outFolder: string
  readonly config: Config
  readonly nowMs: number
  /** URLs of one new segment at most. @defaultValue no limit */
  readonly urlsPerSlice?: number | undefined
  /** A URL as it is to be from now on; undefined drops it. */
  readonly keepUrl: (url: Url) => Url | undefined
  readonly counters: Counters
  readonly signal?: AbortSignal | undefined
}

/** Which parts all of them have. */
export interface CommonParts {
  readonly fetchList: boolean
  readonly outcomes: boolean
  readonly parse: boolean
}
