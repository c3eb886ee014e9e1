import type { DbDatum } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import type { JobContext } from './job.js'

/** What a generate is told. */
export interface GenerateJob {
  readonly context: JobContext
  /** URLs in the list at most. @defaultValue no limit */
  readonly topN?: number | undefined
  /** Looks this many days ahead. @defaultValue 0 */
  readonly addDays?: number | undefined
  /** URL filter of scope generate; a URL that it rejects is passed over. */
  readonly accepts?: ((url: Url) => boolean) | undefined
  /** The form of a URL by whose host it counts for the limit of a host or domain. @defaultValue as it is */
  readonly countedForm?: ((url: Url) => string) | undefined
  /** The form of a host's URL by whose host it is dealt out to `lists`. @defaultValue as it is */
  readonly dealtForm?: ((url: string) => string) | undefined
  /** Test of an expression over the record. */
  readonly matches?: ((datum: DbDatum) => boolean) | undefined
  /** Limit of one host or domain in one segment; overrides `generate.max.count` where it gives one. */
  readonly maxPerGroup?: ((group: string) => number | undefined) | undefined
  /** Segments to fill with what is over in the one before (Nutch: -maxNumSegments). @defaultValue 1 */
  readonly maxSegments?: number | undefined
  /** Lists that each of these is split into, each a segment of its own, so that no queue is in two (Nutch: -numFetchers). @defaultValue 1 */
  readonly lists?: number | undefined
  /** Takes of each queue only what politeness lets be asked for within this time. */
  readonly fitMs?: number | undefined
  /** Delay that the fetcher is to keep for a queue, ms (Nutch: generate.fetch.delay.expr). */
  readonly delayOf?: ((queueId: string) => number | undefined) | undefined
}

export interface GeneratedSegment {
  readonly segment: string
  readonly items: number
}

/** The first segment, the number of URLs in all, and every segment that was made. */
export interface GenerateReport extends GeneratedSegment {
  readonly segments: readonly GeneratedSegment[]
}
