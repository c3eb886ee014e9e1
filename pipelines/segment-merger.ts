import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { listSegments, type Segment } from '../lib/segment/segment.js'
import type { CrawlJob } from './crawl-job.js'
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

/** Brings closed segments into the CrawlDb, one job after the other, while fetching goes on; then seals them. */
export class SegmentMerger {
  readonly #options: SegmentMergerOptions
  readonly #closed: Segment[] = []
  #merging: Promise<void> | undefined
  #sealing: Promise<void> = Promise.resolve()
  #lastMergeMs = 0

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
    return this.#merging !== undefined
  }

  /** How long the last merge took. */
  get lastMergeMs(): number {
    return this.#lastMergeMs
  }

  add(segment: Segment): void {
    this.#closed.push(segment)
    this.#merging ??= this.#mergeAll()
      .catch(error => this.#options.onFailed(error))
      .finally(() => {
        this.#merging = undefined
        this.#options.onMerged()
      })
  }

  /** Waits for all that was added, seals included. */
  async finish(): Promise<void> {
    while (this.#merging !== undefined) await this.#merging
    await this.#sealing
  }

  async #mergeAll(): Promise<void> {
    const { crawlDb, job } = this.#options
    while (this.#closed.length > 0) {
      const segments = this.#closed.splice(0)
      const startedMs = performance.now()
      for (const segment of segments) await bringToParsed(job, segment)
      await crawlDb.jobs.run(() => updatedb(crawlDb, { context: { ...job.context, signal: undefined }, segments }))
      this.#lastMergeMs = performance.now() - startedMs
      this.#options.onMerged()
      this.#sealing = this.#sealing.then(async () => {
        for (const segment of segments) await seal(job.context, segment)
      })
      this.#sealing.catch(error => this.#options.onFailed(error))
    }
  }
}

/** Ends what a killed run left open: its committed pages are kept, what it did not fetch goes back to the CrawlDb. */
async function bringToParsed({ context, pool }: CrawlJob, segment: Segment): Promise<void> {
  const steps = await segment.steps()
  if (steps.fetch === undefined) {
    const writers = await openSegmentWriters(context, segment, false)
    await writers.finish({ timeMs: context.clock.nowMs() })
  }
  if (steps.parse === undefined) await parseSegment({ context: { ...context, signal: undefined }, segment, pool })
}
