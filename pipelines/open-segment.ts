import { rm } from 'node:fs/promises'
import type { FetchedPage } from '../lib/record/exchange.js'
import { fetchItemToJson } from '../lib/record/fetch-json.js'
import { formatLine } from '../lib/record/line-format.js'
import type { FetchItem } from '../lib/record/records.js'
import { AppendFile } from '../lib/segment/append-file.js'
import { parts } from '../lib/segment/part-names.js'
import { Segment } from '../lib/segment/segment.js'
import { SegmentLock } from '../lib/segment/segment-lock.js'
import type { JobContext } from './job.js'
import type { PageResult } from './page-work.js'
import { openSegmentWriters, recordedOutcome, type SegmentWriters } from './segment-writers.js'

/** Whether a page counts as one: fetched with success, or found unmodified. */
export function isFetched({ outcome: { status } }: FetchedPage): boolean {
  return status === 'fetch_success' || status === 'fetch_notmodified'
}

/** The segment that a continuous crawl writes to: its list grows as items are taken, its pages as they come. */
export class OpenSegment {
  readonly openedMs = performance.now()
  #pages = 0
  #fetched = 0
  #hasItems = false
  #storing = 0
  #stored: () => void = () => undefined

  private constructor(
    readonly segment: Segment,
    readonly context: JobContext,
    readonly lock: SegmentLock,
    readonly list: AppendFile,
    readonly writers: SegmentWriters,
  ) {}

  static async create(context: JobContext): Promise<OpenSegment> {
    const segment = await Segment.create(context.folder.segments, context.clock.nowMs())
    const lock = await SegmentLock.take(context.folder.spool, segment.name)
    const list = await AppendFile.open(segment.pathOf(parts.fetchList))
    return new OpenSegment(segment, context, lock, list, await openSegmentWriters(context, segment, true))
  }

  get name(): string {
    return this.segment.name
  }

  /** Pages stored so far. */
  get pages(): number {
    return this.#pages
  }

  /** Pages stored that were fetched with success or found unmodified. */
  get fetched(): number {
    return this.#fetched
  }

  /** Notes items as taken: before they are locked, so that no lock is without its list. */
  async noteTaken(items: readonly FetchItem[]): Promise<void> {
    if (items.length === 0) return
    this.#hasItems = true
    await this.list.append([Buffer.from(items.map(item => formatLine(item.url, fetchItemToJson(item))).join(''))])
  }

  async store(page: FetchedPage, result: PageResult): Promise<void> {
    this.#storing++
    try {
      await this.writers.store(result, recordedOutcome(this.context, page.outcome))
      this.#pages++
      if (isFetched(page)) this.#fetched++
    } finally {
      if (--this.#storing === 0) this.#stored()
    }
  }

  /** Waits for what is being stored, and marks fetch and parse as done. One that nothing came to is removed. @returns whether it is there */
  async finish(): Promise<boolean> {
    try {
      return await this.#finish()
    } finally {
      await this.lock.release()
    }
  }

  async #finish(): Promise<boolean> {
    if (this.#storing > 0)
      await new Promise<void>(resolve => {
        this.#stored = resolve
      })
    await this.list.sync()
    await this.list.close()
    if (!this.#hasItems && this.#pages === 0) {
      await this.writers.close()
      await rm(this.segment.folder, { recursive: true, force: true })
      return false
    }
    const facts = { pages: this.#pages, timeMs: this.context.clock.nowMs() }
    await this.writers.finish(facts)
    await this.segment.recordStep('parse', facts)
    return true
  }
}
