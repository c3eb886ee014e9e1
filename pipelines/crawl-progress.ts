import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { isJsonObject } from '../lib/record/line-format.js'
import { parts } from '../lib/segment/part-names.js'
import { listSegments, type Segment } from '../lib/segment/segment.js'
import { writeAtomic } from '../lib/segment/write-atomic.js'
import type { JobContext } from './job.js'

/** What a crawl must know to go on: `DIR/crawl.json`. */
interface CrawlState {
  /** Hash of what the user asked for: the same command goes on, another begins anew. */
  readonly command: string
  /** Segments that were there when the crawl began. */
  readonly before: readonly string[]
  /** Segments whose round a stop cut short: they do not count as rounds. */
  readonly cut: readonly string[]
  /** Pages of the segments that were counted, by segment: so that a crawl of months need not read all of them to go on. */
  readonly pages?: Readonly<Record<string, number>>
  readonly isFinished: boolean
}

/** How far a crawl has come towards its limits, over all the times that it was stopped or killed. */
export class CrawlProgress {
  readonly #crawlDb: CrawlDb
  readonly #context: JobContext
  #state: CrawlState
  #fetched: number

  private constructor(crawlDb: CrawlDb, context: JobContext, state: CrawlState, fetched: number) {
    this.#crawlDb = crawlDb
    this.#context = context
    this.#state = state
    this.#fetched = fetched
  }

  /** Goes on with the crawl that this command began and did not finish, or begins one. */
  static async open(crawlDb: CrawlDb, context: JobContext, command: string): Promise<CrawlProgress> {
    const segments = await listSegments(context.folder.segments)
    const found = await readState(context.folder.root, command)
    const state = found ?? { command, before: segments.map(segment => segment.name), cut: [], isFinished: false }
    await writeState(context.folder.root, state)
    const progress = new CrawlProgress(crawlDb, context, state, 0)
    const applied = new Set(await crawlDb.ledger.applied())
    for (const name of applied) progress.#fetched += progress.#state.pages?.[name] ?? 0
    const unread = segments.filter(({ name }) => applied.has(name) && state.pages?.[name] === undefined)
    for (const segment of unread) await progress.count(segment)
    return progress
  }

  /** Pages fetched with success or found unmodified, in segments that were counted. */
  get fetched(): number {
    return this.#fetched
  }

  /** Segments merged since the crawl began, but for those that a stop cut short. */
  async rounds(): Promise<number> {
    const applied = await this.#crawlDb.ledger.applied()
    return applied.filter(name => this.#isOwn(name) && !this.#state.cut.includes(name)).length
  }

  /** Counts the pages of a segment that has been merged, or will be before the crawl ends. */
  async count(segment: Segment): Promise<void> {
    if (!this.#isOwn(segment.name)) return
    const known = this.#state.pages?.[segment.name]
    const pages = known ?? (await countFetched(segment))
    this.#fetched += pages
    if (known === undefined) await this.note(segment, pages)
  }

  /** Notes the pages of a segment for a later run; `fetched` does not change. */
  async note({ name }: Segment, pages: number): Promise<void> {
    await this.#save({ pages: { ...this.#state.pages, [name]: pages } })
  }

  async noteCut(segments: readonly Segment[]): Promise<void> {
    await this.#save({ cut: [...this.#state.cut, ...segments.map(segment => segment.name)] })
  }

  /** Notes that the crawl has come to its end: the same command begins another one then. With `defer` that is left to whoever takes it. */
  async finish(defer?: (finish: () => Promise<void>) => void): Promise<void> {
    const finish = (): Promise<void> => this.#save({ isFinished: true })
    if (defer === undefined) await finish()
    else defer(finish)
  }

  #isOwn(name: string): boolean {
    return !this.#state.before.includes(name)
  }

  async #save(changes: Partial<CrawlState>): Promise<void> {
    this.#state = { ...this.#state, ...changes }
    await writeState(this.#context.folder.root, this.#state)
  }
}

async function readState(folder: string, command: string): Promise<CrawlState | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, 'crawl.json'), 'utf8'))
    const state = value as CrawlState // writeState wrote it
    return isJsonObject(value) && state.command === command && !state.isFinished ? state : undefined
  } catch {
    return undefined // none yet, or torn: the crawl counts from here
  }
}

async function writeState(folder: string, state: CrawlState): Promise<void> {
  await writeAtomic(join(folder, 'crawl.json'), `${JSON.stringify(state)}\n`)
}

/** Outcomes of a segment that are pages: fetched with success, or not modified. */
async function countFetched(segment: Segment): Promise<number> {
  let count = 0
  for await (const { text } of segment.readLines(parts.outcomes)) count += text.split(/\t\{"status":"fetch_(?:success|notmodified)"/).length - 1
  return count
}
