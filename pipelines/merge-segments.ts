import { CrawlError } from '../lib/errors/crawl-error.js'
import type { EncodedRecords } from '../lib/record/encoded-records.js'
import type { ContentRef, FetchOutcome, Link } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { parts } from '../lib/segment/part-names.js'
import type { Segment } from '../lib/segment/segment.js'
import { UrlSet } from '../lib/segment/url-set.js'
import { readCaptureGroups } from '../lib/warc/capture-groups.js'
import { encodeGroup } from '../lib/warc/encode-group.js'
import type { CommonParts, MergeJob } from './merge-job.js'
import { readPageParses } from './page-parses.js'
import { SliceWriters } from './slice-writers.js'

/**
 * Merges segments into one, or into slices (Nutch's SegmentMerger). Of each URL the newest segment's record is kept, part by part; retries and
 * pages that were not modified are passed over, so that the copy before them stays. A part that one of the segments does not have is left out.
 * Links go with the page that gives them. @returns the names of the new segments
 */
export async function mergeSegments(job: MergeJob): Promise<readonly string[]> {
  const { counters, signal } = job
  const newestFirst = [...job.segments].sort((a, b) => (a.name < b.name ? 1 : -1))
  const has = await commonParts(newestFirst)
  const slices = new SliceWriters(job, has)
  const seen = { generated: new UrlSet(), fetched: new UrlSet(), parsed: new UrlSet() }
  try {
    for (const segment of newestFirst) {
      if (has.fetchList) {
        for await (const items of segment.readFetchList({ ...(signal === undefined ? {} : { signal }) })) {
          for (const item of items) {
            const url = keep(job, item.url, seen.generated)
            if (url !== undefined) await slices.writeItem({ ...item, url, datum: { ...item.datum, url } })
          }
        }
      }
      if (has.outcomes) await mergeFetched(job, segment, slices, seen.fetched)
      if (has.parse) await mergeParsed(job, segment, slices, seen.parsed)
      counters.add('mergesegs/segments')
    }
    return await slices.finish()
  } catch (error) {
    await slices.discard()
    throw error
  }
}

async function commonParts(segments: readonly Segment[]): Promise<CommonParts> {
  let common: CommonParts = { fetchList: true, outcomes: true, parse: true }
  for (const segment of segments) {
    const steps = await segment.steps()
    common = {
      fetchList: common.fetchList && (await segment.hasPart(parts.fetchList)),
      outcomes: common.outcomes && steps.fetch !== undefined,
      parse: common.parse && steps.parse !== undefined,
    }
  }
  if (!common.fetchList && !common.outcomes) throw new CrawlError('SEGMENT_STATE', 'the segments have no part in common that is whole')
  return common
}

/** The URL to write under, or undefined if it is dropped or a newer one stands already. */
function keep({ keepUrl, counters }: MergeJob, old: Url, seen: UrlSet): Url | undefined {
  const url = keepUrl(old)
  if (url === undefined) counters.add('mergesegs/rejected')
  else if (seen.add(url)) return url
  else counters.add('mergesegs/older')
  return undefined
}

async function mergeFetched(job: MergeJob, segment: Segment, slices: SliceWriters, seen: UrlSet): Promise<void> {
  const content = new GroupCursor(segment, job)
  for await (const outcomes of segment.readOutcomes()) {
    job.signal?.throwIfAborted()
    for (const outcome of outcomes) {
      if (outcome.status === 'fetch_retry' || outcome.status === 'fetch_notmodified') continue
      const url = keep(job, outcome.url, seen)
      if (url === undefined) continue
      const { content: ref, ...rest } = outcome
      const moved: FetchOutcome = { ...rest, url, datum: { ...outcome.datum, url } }
      await slices.writeFetched(ref === undefined ? undefined : await content.take(ref), moved)
    }
  }
  await content.close()
}

async function mergeParsed(job: MergeJob, segment: Segment, slices: SliceWriters, seen: UrlSet): Promise<void> {
  for await (const { parse, links } of readPageParses(segment)) {
    job.signal?.throwIfAborted()
    const url = keep(job, parse.url, seen)
    if (url === undefined) continue
    const kept = links.flatMap((link): Link[] => {
      const to = job.keepUrl(link.to)
      return to === undefined ? [] : [{ ...link, from: url, to }]
    })
    await slices.writeParsed({ ...parse, url }, kept)
  }
}

/** Goes through the captures of a segment's content files along with its outcomes, which stand in the same order. */
class GroupCursor {
  #file = ''
  #groups: ReturnType<typeof readCaptureGroups> | undefined

  constructor(
    readonly segment: Segment,
    readonly job: MergeJob,
  ) {}

  /** The records of the capture at a place behind the last one asked for. @throws {CrawlError} SEGMENT_CORRUPT if there is none */
  async take({ file, offsetBytes }: ContentRef): Promise<EncodedRecords> {
    if (file !== this.#file) {
      await this.close()
      this.#file = file
      this.#groups = readCaptureGroups(this.segment.pathOf(file), { signal: this.job.signal })
    }
    for (;;) {
      const { done, value } = (await this.#groups?.next()) ?? { done: true, value: undefined }
      if (done === true || value === undefined)
        throw new CrawlError('SEGMENT_CORRUPT', `${this.segment.pathOf(file)}: no record at byte ${offsetBytes}`)
      if (value.capture.offsetBytes === offsetBytes) return encodeGroup(value, this.job.config.segment.gzipLevel)
    }
  }

  async close(): Promise<void> {
    await this.#groups?.return(undefined)
  }
}
