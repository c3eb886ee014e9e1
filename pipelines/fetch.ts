import { type FetchAllResult, type FetchRun, fetchAll } from '../lib/fetch/fetch-all.js'
import type { PageFetcher } from '../lib/fetch/page-fetcher.js'
import type { PolitenessState } from '../lib/fetch/politeness.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import { metadataKeys, withoutMetadata } from '../lib/record/metadata.js'
import type { FetchOutcome } from '../lib/record/records.js'
import { readCommittedUrls } from '../lib/segment/committed-urls.js'
import { openFetchListSource } from '../lib/segment/fetch-list-source.js'
import { ParseWriter } from '../lib/segment/parse-writer.js'
import type { Segment } from '../lib/segment/segment.js'
import { SegmentWriter } from '../lib/segment/segment-writer.js'
import { encodeWarcinfo } from '../lib/warc/encode-warcinfo.js'
import type { JobContext } from './job.js'
import type { PagePool } from './page-pool.js'
import { type PageTask, pageInputOf } from './page-work.js'
import { readPoliteness, writePoliteness } from './politeness-file.js'

export interface FetchJob {
  readonly context: JobContext
  readonly segment: Segment
  readonly fetcher: PageFetcher
  readonly pool: PagePool
  /** Parse each page as it comes (Nutch: fetcher.parse). */
  readonly isParsing: boolean
  /** Aborted to take no new item; what is in flight is finished. */
  readonly stopTaking?: AbortSignal | undefined
  /** Told of each page once it is committed. */
  readonly onPage?: ((page: FetchedPage) => void) | undefined
  readonly onStart?: ((run: FetchRun) => void) | undefined
}

export interface FetchReport {
  readonly segment: string
  /** Items that ended as an outcome in this run. */
  readonly items: number
  /** Outcomes written: items, and what redirects led to. */
  readonly pages: number
  readonly stoppedBy?: FetchAllResult['stoppedBy']
  readonly politeness: PolitenessState
}

/**
 * Fetches a segment's list (Nutch's Fetcher): content goes to WARC files, and each page is committed by its outcome line. A fetch that was stopped or
 * killed goes on with what has no outcome. A run that was stopped by a signal leaves the fetch open; every other end marks it as done.
 */
export async function fetchSegment(job: FetchJob): Promise<FetchReport> {
  const { context, segment, fetcher, stopTaking } = job
  const { config, pacingClock, signal } = context
  const writers = await openWriters(job)
  const source = await openFetchListSource(segment, await readCommittedUrls(segment))
  try {
    const result = await fetchAll({
      source,
      fetcher,
      config: config.fetch,
      clock: pacingClock,
      politeness: await readPoliteness(context.folder.root),
      timeLimitMs: config.generate.timeLimitMs,
      onPage: page => storePage(job, writers, page),
      ...(signal === undefined ? {} : { signal }),
      ...(stopTaking === undefined ? {} : { stopTaking }),
      ...(job.onStart === undefined ? {} : { onStart: job.onStart }),
    })
    await writePoliteness(context.folder.root, result.politeness)
    await endFetch(job, writers, result)
    context.counters.add('fetch/items', result.items)
    return {
      segment: segment.name,
      items: result.items,
      pages: result.pages,
      politeness: result.politeness,
      ...(result.stoppedBy === undefined ? {} : { stoppedBy: result.stoppedBy }),
    }
  } finally {
    await source.close()
    await writers.close()
  }
}

/** The two writers of a segment, and what is committed to the second. */
class Writers {
  #isClosed = false
  constructor(
    readonly content: SegmentWriter,
    readonly parse: ParseWriter | undefined,
  ) {}

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.content.close()
    await this.parse?.close()
  }

  async finish(facts: { readonly items: number; readonly timeMs: number }): Promise<void> {
    this.#isClosed = true
    await this.content.finish(facts)
    await this.parse?.close()
  }
}

async function openWriters({ context: { config, clock }, segment, isParsing }: FetchJob): Promise<Writers> {
  const { syncs, warcFileBytes } = config.segment
  const content = await SegmentWriter.open(segment, {
    encodeWarcinfo: filename => encodeWarcinfo({ filename, timeMs: clock.nowMs(), fields: warcinfoFields(config.http.agentName) }),
    warcFileBytes,
    syncs,
  })
  return new Writers(content, isParsing ? await ParseWriter.open(segment, { syncs }) : undefined)
}

function warcinfoFields(agentName: string): Record<string, string> {
  return { software: 'millrace', robots: 'obey', 'http-header-user-agent': agentName }
}

/** Content first, then the outcome, which commits it, then the parse. A fetch that was cut off by a stop is no outcome. */
async function storePage({ context, pool, isParsing, onPage }: FetchJob, { content, parse }: Writers, page: FetchedPage): Promise<void> {
  const { outcome } = page
  if (outcome.causeClass === 'aborted') return
  const { records, parse: encodedParse, counts } = await pool.run(pageTask(page, isParsing))
  await content.append(records, recordedOutcome(context, outcome))
  if (encodedParse !== undefined) await parse?.append(encodedParse)
  context.counters.merge(counts)
  onPage?.(page)
}

/** Where the recorded time is fixed, an outcome holds nothing that would differ in another run at that time, but for its `timing`. */
function recordedOutcome({ clock, pacingClock }: JobContext, outcome: FetchOutcome): FetchOutcome {
  if (clock === pacingClock) return outcome
  return { ...outcome, fetchTimeMs: clock.nowMs(), metadata: withoutMetadata(outcome.metadata, metadataKeys.responseTime) }
}

function pageTask({ outcome, exchanges }: FetchedPage, isParsing: boolean): PageTask {
  const last = exchanges.at(-1)
  const isPage = isParsing && outcome.status === 'fetch_success' && last !== undefined
  return { url: outcome.url, datum: outcome.datum, exchanges, ...(isPage ? { page: pageInputOf(last) } : {}) }
}

async function endFetch({ context, stopTaking }: FetchJob, writers: Writers, { items, stoppedBy }: FetchAllResult): Promise<void> {
  const isLeftOpen = stoppedBy === 'signal' || (stoppedBy === 'stopTaking' && stopTaking?.reason !== endsRound)
  if (isLeftOpen) await writers.close()
  else await writers.finish({ items, timeMs: context.clock.nowMs() })
}

/** Reason to abort `stopTaking` with where the fetch is to count as done: what is not fetched goes back to the CrawlDb. */
export const endsRound = Symbol('ends the round')
