/** The open segment of a continuous crawl, and what goes on around it. */
export interface RollFacts {
  readonly pages: number
  readonly ageMs: number
  /** Segments that this run has closed. */
  readonly closed: number
  /** How long the last merge took. */
  readonly lastMergeMs: number
  /** Whether all that is taken waits for the time of its host. */
  readonly isIdle: boolean
}

/** Pages that are worth a merge while others are fetched from, the least time between two merges, and the age at which any page is worth one. The first
 *  merges come sooner: a crawl that has just begun lives from the links of its first pages. */
const dryRoll = { pages: 64, firstAgeMs: 250, leastAgeMs: 2000, latestMs: 15_000 }

/** The first segment is small, so that its links are known soon; each that is full doubles the size of the next, up to `millrace.roll.pages`. */
const firstRollPages = 500

/** A crawl that is to end after some pages makes its last segments smaller, down to this, so that little is left to merge once nothing is fetched. */
const leastRollPages = 250

export interface SegmentFacts extends Pick<RollFacts, 'pages' | 'ageMs'> {
  /** Segments that were closed because they were full. */
  readonly fullSegments: number
  /** Pages that the crawl may still fetch. */
  readonly pagesLeft: number
}

/** Whether a segment is closed because it is large or old, after so many that were. */
export function isFullSegment(
  { pages, ageMs, fullSegments, pagesLeft }: SegmentFacts,
  { rollPages, rollAgeMs }: { readonly rollPages: number; readonly rollAgeMs: number },
): boolean {
  const most = Math.min(rollPages, firstRollPages * 2 ** fullSegments, Math.max(leastRollPages, pagesLeft))
  return pages >= most || ageMs >= rollAgeMs
}

/**
 * Whether a segment that is not full is closed for queues that ran dry, which wait for its links: not for a few pages while other hosts are fetched
 * from, and not before the last merge has paid off.
 */
export function isWorthRolling({ pages, ageMs, closed, lastMergeMs, isIdle }: RollFacts): boolean {
  const leastAgeMs = Math.max(sinceStart(closed, dryRoll.leastAgeMs), lastMergeMs * 4)
  return ((pages >= dryRoll.pages || isIdle) && ageMs >= leastAgeMs) || ageMs >= dryRoll.latestMs
}

/** How long a crawl whose hosts are all at work, or waited for, sleeps before it looks for work again. */
export function lookAgainMs(closed: number): number {
  return sinceStart(closed, 1000)
}

/** Short at first, and `mostMs` soon. */
function sinceStart(closed: number, mostMs: number): number {
  return Math.min(mostMs, dryRoll.firstAgeMs * 2 ** closed)
}
