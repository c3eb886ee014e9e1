import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import type { PageInput } from '../lib/parse/page.js'
import type { FetchOutcome } from '../lib/record/records.js'
import { readParsedUrls } from '../lib/segment/committed-urls.js'
import { ParseWriter } from '../lib/segment/parse-writer.js'
import type { Segment } from '../lib/segment/segment.js'
import { SegmentLock } from '../lib/segment/segment-lock.js'
import { ContentReader } from '../lib/warc/content-reader.js'
import { contentTypeOf } from '../lib/warc/http-head.js'
import type { JobContext } from './job.js'
import type { PagePool } from './page-pool.js'

export interface ParseJob {
  readonly context: JobContext
  readonly segment: Segment
  readonly pool: PagePool
}

export interface ParseReport {
  readonly segment: string
  readonly parsed: number
  /** Pages whose parse was committed before. */
  readonly skipped: number
}

/** Pages that are at work at once: bounds the bodies in memory. */
const pagesInFlight = 16

/** Parses the fetched pages of a segment from its WARC files (Nutch's ParseSegment); goes on where a killed parse stopped.
 *  @throws {CrawlError} SEGMENT_LOCKED if another process works on it, SEGMENT_STATE if it is not fetched, or parsed already */
export function parseSegment(job: ParseJob): Promise<ParseReport> {
  return SegmentLock.hold(job.context.folder.spool, job.segment.name, () => parseLocked(job))
}

async function parseLocked({ context, segment, pool }: ParseJob): Promise<ParseReport> {
  const { counters, config, clock, signal } = context
  const steps = await segment.steps()
  if (steps.fetch === undefined) throw new CrawlError('SEGMENT_STATE', `segment ${segment.name} is not fetched yet`)
  if (steps.parse !== undefined) throw new CrawlError('SEGMENT_STATE', `segment ${segment.name} is parsed already`)
  const writer = await ParseWriter.open(segment, { syncs: config.segment.syncs })
  const content = new ContentReader(segment.folder)
  const inFlight = new Set<Promise<void>>()
  let parsed = 0
  let skipped = 0
  let isFinished = false
  try {
    const done = await readParsedUrls(segment)
    for await (const outcomes of segment.readOutcomes()) {
      for (const outcome of outcomes) {
        signal?.throwIfAborted()
        if (outcome.status !== 'fetch_success' || outcome.content === undefined) continue
        if (done.has(outcome.url)) {
          skipped++
          continue
        }
        const work = parseOutcome({ context, segment, pool }, writer, content, outcome).finally(() => inFlight.delete(work))
        inFlight.add(work)
        parsed++
        if (inFlight.size >= pagesInFlight) await Promise.race(inFlight)
      }
    }
    await Promise.all(inFlight)
    await writer.finish({ parsed, skipped, timeMs: clock.nowMs() })
    isFinished = true
  } finally {
    await Promise.allSettled(inFlight)
    if (!isFinished) await writer.close()
    await content.close()
  }
  counters.add('parse/skipped', skipped)
  return { segment: segment.name, parsed, skipped }
}

async function parseOutcome(job: ParseJob, writer: ParseWriter, content: ContentReader, outcome: FetchOutcome): Promise<void> {
  const page = await readPage(job, content, outcome)
  if (page === undefined) return
  const { parse, counts } = await job.pool.run({ url: outcome.url, datum: outcome.datum, exchanges: [], page })
  job.context.counters.merge(counts)
  if (parse !== undefined) await writer.append(parse)
}

/** The stored page as the parser takes it; a record that does not read is counted, logged and left out. */
async function readPage({ context, segment }: ParseJob, content: ContentReader, outcome: FetchOutcome): Promise<PageInput | undefined> {
  try {
    const stored = await content.readAnswer(outcome)
    if (stored === undefined) return undefined
    const contentType = contentTypeOf(stored.fields) ?? outcome.contentType // a resource record has it in its own head
    return {
      url: outcome.url,
      bytes: stored.payload,
      headers: stored.fields,
      ...(contentType === undefined ? {} : { contentType }),
      ...(outcome.truncated === undefined ? {} : { isTruncated: true }),
    }
  } catch (error) {
    context.counters.add('parse/unreadable')
    context.log.warn({ url: outcome.url, segment: segment.name, reason: messageOf(error) }, 'stored page cannot be read')
    return undefined
  }
}
