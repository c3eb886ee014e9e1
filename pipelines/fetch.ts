import { type FetchAllResult, type FetchRun, fetchAll } from '../lib/fetch/fetch-all.js'
import type { PageFetcher } from '../lib/fetch/page-fetcher.js'
import type { PolitenessState } from '../lib/fetch/politeness.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import { readCommittedUrls, readListedUrls } from '../lib/segment/committed-urls.js'
import { openFetchListSource } from '../lib/segment/fetch-list-source.js'
import type { Segment } from '../lib/segment/segment.js'
import { SegmentLock } from '../lib/segment/segment-lock.js'
import { reportAbandoned, reportCutFetch } from './crawl-report.js'
import type { FetchListing } from './fetch-listing.js'
import type { JobContext } from './job.js'
import type { PagePool } from './page-pool.js'
import { type PageTask, pageInputOf } from './page-work.js'
import { PolitenessKeeper } from './politeness-keeper.js'
import { openSegmentWriters, recordedOutcome, type SegmentWriters } from './segment-writers.js'
import { noteUntold } from './untold-requests.js'

export interface FetchJob {
  readonly context: JobContext
  readonly segment: Segment
  readonly fetcher: PageFetcher
  readonly pool: PagePool
  /** The fetcher's, to be told of the list. */
  readonly listing?: FetchListing | undefined
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
  /** Hosts that may not be asked for long: what is left of them goes back to the CrawlDb. */
  readonly heldQueues: number
  readonly stoppedBy?: FetchAllResult['stoppedBy']
  readonly politeness: PolitenessState
}

/** Reason to abort `stopTaking` with where the fetch is to count as done: what is not fetched goes back to the CrawlDb. */
export const endsRound = Symbol('ends the round')

/**
 * Fetches a segment's list (Nutch's Fetcher): content goes to WARC files, and each page is committed by its outcome line. A fetch that was stopped or
 * killed goes on with what has no outcome. A run that was stopped by a signal leaves the fetch open; every other end marks it as done.
 * @throws {CrawlError} SEGMENT_LOCKED if another process works on it
 */
export function fetchSegment(job: FetchJob): Promise<FetchReport> {
  return SegmentLock.hold(job.context.folder.spool, job.segment.name, () => fetchLocked(job))
}

async function fetchLocked(job: FetchJob): Promise<FetchReport> {
  const { context, segment, fetcher, stopTaking, onStart } = job
  const { config, pacingClock, signal } = context
  const politeness = await PolitenessKeeper.open(context)
  const writers = await openSegmentWriters(context, segment, job.isParsing)
  const committed = await readCommittedUrls(segment)
  const source = await openFetchListSource(segment, committed)
  const listed = await readListedUrls(segment)
  job.listing?.use(url => listed.has(url) || committed.has(url)) // what was fetched before a kill is not fetched again by a redirect
  try {
    const result = await fetchAll({
      source,
      fetcher,
      config: config.fetch,
      clock: pacingClock,
      politeness: politeness.state,
      notBeforeMs: politeness.notBeforeMs,
      onCrawlDelay: () => politeness.writeSoon(),
      onAbandoned: queue => reportAbandoned(context, queue),
      timeLimitMs: config.generate.timeLimitMs,
      onPage: page => storePage(job, writers, page),
      ...(signal === undefined ? {} : { signal }),
      ...(stopTaking === undefined ? {} : { stopTaking }),
      onStart: run => {
        politeness.watch(() => run.exportPoliteness())
        onStart?.(run)
      },
    })
    await politeness.end(result.politeness)
    await noteUntold(context, fetcher.takeUntold())
    await endFetch(job, writers, result)
    context.counters.add('fetch/items', result.items)
    reportCutFetch(context, result.stoppedBy)
    const { items, pages, abandoned, stoppedBy } = result
    return {
      segment: segment.name,
      items,
      pages,
      heldQueues: abandoned.length,
      politeness: result.politeness,
      ...(stoppedBy === undefined ? {} : { stoppedBy }),
    }
  } finally {
    await politeness.abandon()
    await source.close()
    await writers.close()
  }
}

/** A fetch that was cut off by a stop is no outcome. */
async function storePage({ context, pool, isParsing, onPage }: FetchJob, writers: SegmentWriters, page: FetchedPage): Promise<void> {
  if (wasCutOff(page)) return
  const result = await pool.run(pageTask(page, isParsing))
  await writers.store(result, recordedOutcome(context, page.outcome))
  context.counters.merge(result.counts)
  onPage?.(page)
}

/** A fetch that our own stop ended says nothing of the page. */
export function wasCutOff({ outcome }: FetchedPage): boolean {
  return outcome.causeClass === 'aborted'
}

/** The work on a fetched page: its records, and its parse if it is to be parsed. */
export function pageTask({ outcome, exchanges }: FetchedPage, isParsing: boolean): PageTask {
  const last = exchanges.at(-1)
  const isPage = isParsing && outcome.status === 'fetch_success' && last !== undefined
  const isUnchanged = outcome.status === 'fetch_notmodified' && last !== undefined // a WARC tells of it by a revisit record
  return {
    url: outcome.url,
    datum: outcome.datum,
    exchanges,
    ...(isPage ? { page: pageInputOf(last, outcome.truncated !== undefined) } : {}),
    ...(isUnchanged ? { revisitOf: { url: outcome.url } } : {}),
  }
}

async function endFetch({ context, stopTaking }: FetchJob, writers: SegmentWriters, { items, stoppedBy }: FetchAllResult): Promise<void> {
  const isLeftOpen = stoppedBy === 'signal' || (stoppedBy === 'stopTaking' && stopTaking?.reason !== endsRound)
  if (isLeftOpen) await writers.close()
  else await writers.finish({ items, timeMs: context.clock.nowMs() })
}
