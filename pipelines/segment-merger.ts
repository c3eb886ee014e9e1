import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { listSegments, type Segment } from '../lib/segment/segment.js'
import { SegmentLock } from '../lib/segment/segment-lock.js'
import type { CrawlJob } from './crawl-job.js'
import { invertIfFree } from './invertlinks.js'
import type { JobContext } from './job.js'
import { parseSegment } from './parse.js'
import { seal } from './seal.js'
import { openSegmentWriters } from './segment-writers.js'
import { updatedb } from './updatedb.js'

export interface SegmentMergerOptions {
  readonly crawlDb: CrawlDb
  readonly job: CrawlJob
  readonly onMerged: () => void
  readonly onFailed: (error: unknown) => void
}

/** Brings closed segments into the CrawlDb, one job after the other, while fetching goes on; then their links into the LinkDb, and seals them. */
export class SegmentMerger {
  readonly #options: SegmentMergerOptions
  readonly #closed: Segment[] = []
  #merging: Promise<void> | undefined
  #ending: Promise<void> = Promise.resolve()
  #lastMergeMs = 0
  #hasFailed = false

  constructor(options: SegmentMergerOptions) {
    this.#options = options
  }

  /** Segments of earlier runs that are not merged, oldest first. */
  static async leftovers(crawlDb: CrawlDb, { folder }: JobContext): Promise<Segment[]> {
    const left: Segment[] = []
    for (const segment of await listSegments(folder.segments)) {
      const isEmpty = (await segment.state()) === 'empty'
      if (!isEmpty && (await crawlDb.ledger.appliedAtMs(segment.name)) === undefined) left.push(segment)
    }
    return left
  }

  /** Whether something is still to be merged. */
  get isBusy(): boolean {
    return this.#merging !== undefined || this.#closed.length > 0
  }

  /** How long the last merge took. */
  get lastMergeMs(): number {
    return this.#lastMergeMs
  }

  add(segment: Segment): void {
    this.#closed.push(segment)
    this.#start()
  }

  #start(): void {
    if (this.#hasFailed) return
    this.#merging ??= this.#mergeAll()
      .catch(error => {
        this.#hasFailed = true
        this.#options.onFailed(error)
      })
      .finally(() => {
        this.#merging = undefined
        if (this.#closed.length > 0) this.#start() // one came when the last was done
        this.#options.onMerged()
      })
  }

  /** Waits for all that was added, to their seals. */
  async finish(): Promise<void> {
    while (this.#merging !== undefined) await this.#merging
    await this.#ending
  }

  async #mergeAll(): Promise<void> {
    const { crawlDb, job } = this.#options
    for (let segment = this.#closed[0]; segment !== undefined; segment = this.#closed[0]) {
      const merged = segment
      const startedMs = performance.now()
      await bringToParsed(job, merged)
      // One a job, so that the order of the ledger says how scores came to be.
      await crawlDb.jobs.run(() => updatedb(crawlDb, { context: { ...job.context, signal: undefined }, segments: [merged] }))
      this.#closed.shift()
      this.#lastMergeMs = performance.now() - startedMs
      this.#options.onMerged()
      this.#ending = this.#ending.then(() => this.#end(merged))
      this.#ending.catch(error => this.#options.onFailed(error))
    }
  }

  /** What a merged segment is still used for, and then its seal. Its links wait for a merge into the CrawlDb: each holds `millrace.merge.memory`. */
  async #end(segment: Segment): Promise<void> {
    const { crawlDb, job } = this.#options
    const context = { ...job.context, signal: undefined }
    if (context.config.crawl.invertsLinks) await crawlDb.jobs.run(() => invertIfFree(context, async () => [segment]))
    await seal(context, segment)
  }
}

/** Ends the fetch of a segment that a killed run left open: its committed pages are kept, and what it did not fetch goes back to the CrawlDb. */
export async function closeFetch(context: JobContext, segment: Segment): Promise<void> {
  if ((await segment.steps()).fetch !== undefined) return
  await SegmentLock.hold(context.folder.spool, segment.name, async () => {
    const writers = await openSegmentWriters(context, segment, false)
    await writers.finish({ timeMs: context.clock.nowMs() })
  })
}

async function bringToParsed({ context, pool }: CrawlJob, segment: Segment): Promise<void> {
  await closeFetch(context, segment)
  if ((await segment.steps()).parse === undefined) await parseSegment({ context: { ...context, signal: undefined }, segment, pool })
}
