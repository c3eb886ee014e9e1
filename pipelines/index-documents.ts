import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { buildDocument, type IndexDocument } from '../lib/index/document.js'
import { decideIndexing } from '../lib/index/index-rule.js'
import type { LinkDb } from '../lib/linkdb/link-db.js'
import { outcomeFromJson } from '../lib/record/fetch-json.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import { parseFromJson, parseToJson } from '../lib/record/parse-json.js'
import type { DbDatum, FetchOutcome, Parse } from '../lib/record/records.js'
import { storedUrl, type Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { parts } from '../lib/segment/part-names.js'
import type { Segment } from '../lib/segment/segment.js'
import { UrlSet } from '../lib/segment/url-set.js'
import { SortedUpdates, type Update, type UpdateGroup } from '../lib/store/sorted-updates.js'
import { ContentReader } from '../lib/warc/content-reader.js'
import { readIndexedPage } from './index-page.js'
import { filterDocument } from './indexing-filters.js'
import type { JobContext } from './job.js'
import { readPageParses } from './page-parses.js'
import { lineUpdates } from './segment-lines.js'

/** What a page becomes in the index; `key` is that of its URL. */
export type IndexChange =
  | { readonly action: 'add'; readonly key: string; readonly document: IndexDocument }
  | { readonly action: 'delete'; readonly key: string; readonly id: string; readonly reason: string }

/** What is to be indexed, and how far it was before. */
export interface IndexJob {
  readonly context: JobContext
  readonly crawlDb: CrawlDb
  /** For anchors; without it documents have none. */
  readonly linkDb?: LinkDb | undefined
  /** Newest first. */
  readonly segments: readonly Segment[]
  /** The URL of a page's document; undefined leaves the page out. @defaultValue the page's own */
  readonly keepUrl?: ((url: Url) => Url | undefined) | undefined
  /** Documents have the body of the page. */
  readonly withBody?: boolean
  /** How far an earlier run came with a segment: all of it, or up to a key. */
  readonly progressOf?: (segment: string) => 'done' | { readonly afterKey: string } | undefined
  readonly onSegmentStart?: (segment: string) => void
  readonly onSegmentDone?: (segment: string) => Promise<void>
}

const pagesPerBatch = 500

/**
 * One change for each page: its newest copy, joined with the score of the CrawlDb and the anchors of the LinkDb as they are now (Nutch's indexer, without
 * rewriting segments). In the order of keys within a segment. Memory: one batch of pages, and 22 bytes for each URL.
 */
export async function* indexChanges(job: IndexJob): AsyncGenerator<IndexChange> {
  const seen = new UrlSet()
  const applied = new Set(await job.crawlDb.ledger.applied())
  for (const segment of job.segments) {
    const progress = job.progressOf?.(segment.name)
    if (progress === 'done') await noteDecided(segment, seen)
    else {
      const afterKey = progress?.afterKey ?? ''
      job.onSegmentStart?.(segment.name)
      yield* segmentChanges({ ...job, segment, seen, afterKey, isApplied: applied.has(segment.name) })
      await job.onSegmentDone?.(segment.name)
    }
  }
}

interface SegmentRun extends IndexJob {
  readonly segment: Segment
  /** URLs that a newer segment, or this one, has decided. */
  readonly seen: UrlSet
  readonly afterKey: string
  readonly isApplied: boolean
}

async function* segmentChanges(run: SegmentRun): AsyncGenerator<IndexChange> {
  const { context, segment } = run
  const spillFolder = join(context.folder.spool, `index-${process.pid}-${segment.name}`)
  const sorted = new SortedUpdates({ spillFolder, memoryBytes: context.config.db.mergeMemoryBytes })
  const content = new ContentReader(segment.folder)
  try {
    for await (const updates of segmentUpdates(segment)) await sorted.add(updates)
    for await (const groups of sorted.batches(pagesPerBatch)) {
      context.signal?.throwIfAborted()
      yield* changesOf(run, groups, content)
    }
  } finally {
    await sorted.dispose()
    await content.close()
  }
}

async function* segmentUpdates(segment: Segment): AsyncGenerator<readonly Update[]> {
  yield* lineUpdates(segment, parts.outcomes, (url, json) => ({ key: keyOfUrl(storedUrl(url)), payload: `O${json}` }))
  for await (const { parse } of readPageParses(segment)) {
    yield [{ key: keyOfUrl(parse.url), payload: `P${JSON.stringify({ ...parseToJson(parse), text: parse.text })}` }]
  }
}

async function noteDecided(segment: Segment, seen: UrlSet): Promise<void> {
  for await (const outcomes of segment.readOutcomes()) for (const outcome of outcomes) if (decides(outcome)) seen.add(outcome.url)
}

/** Whether the outcome is the page's newest state; a failure or a 304 leaves that to an older segment. */
function decides({ status }: FetchOutcome): boolean {
  return status !== 'fetch_retry' && status !== 'fetch_notmodified'
}

async function* changesOf(run: SegmentRun, groups: readonly UpdateGroup[], content: ContentReader): AsyncGenerator<IndexChange> {
  const fresh = groups.filter(({ key }) => !run.seen.has(urlOfKey(key)))
  const data = await run.crawlDb.readMany(fresh.map(({ key }) => key))
  for (const [index, group] of fresh.entries()) {
    const page = readGroup(group)
    if (page === undefined || !decides(page.outcome)) continue
    run.seen.add(page.outcome.url)
    if (group.key <= run.afterKey) continue
    const change = await changeOf(run, { ...page, datum: data[index] }, content)
    if (change !== undefined) yield { key: group.key, ...change }
  }
}

interface StoredPage {
  readonly outcome: FetchOutcome
  readonly parse: Parse | undefined
}

function readGroup({ key, payloads }: UpdateGroup): StoredPage | undefined {
  const url = urlOfKey(key)
  let outcome: FetchOutcome | undefined
  let parse: Parse | undefined
  for (const payload of payloads) {
    const json = parseJsonObject(payload.slice(1))
    if (payload[0] === 'O') outcome = outcomeFromJson(url, json)
    else parse = parseFromJson(url, json, typeof json.text === 'string' ? json.text : '')
  }
  return outcome === undefined ? undefined : { outcome, parse }
}

type Change =
  | { readonly action: 'add'; readonly document: IndexDocument }
  | { readonly action: 'delete'; readonly id: string; readonly reason: string }

/** Every page is counted once: as added, or with the reason why it is deleted or left out. */
async function changeOf(
  run: SegmentRun,
  page: StoredPage & { readonly datum: DbDatum | undefined },
  content: ContentReader,
): Promise<Change | undefined> {
  const { context, isApplied, segment, withBody = false, linkDb } = run
  const { outcome, parse, datum } = page
  const { counters, clock } = context
  const config = context.config.index
  const id = run.keepUrl === undefined ? outcome.url : run.keepUrl(outcome.url)
  const without = (action: 'delete' | 'skip', reason: string): Change | undefined => {
    counters.add(`index/${action}/${reason}`)
    return action === 'delete' && id !== undefined ? { action, id, reason } : undefined
  }
  if (id === undefined) return without('skip', 'filtered')
  const decision = decideIndexing({ outcome, parse, datum, isApplied, nowMs: clock.nowMs() }, config)
  if (decision.action !== 'add') return without(decision.action, decision.reason)
  if (parse === undefined || datum === undefined) return without('skip', 'not_parsed')
  const indexed = await readIndexedPage({ context, linkDb, content, segment: segment.name, withBody }, { id, outcome, parse, datum })
  const filtered = await filterDocument(context, buildDocument(indexed, config), indexed)
  if (filtered === 'failed') return without('skip', 'plugin_failed')
  if (filtered === 'left_out') return without(config.deletesSkipped ? 'delete' : 'skip', 'left_out')
  counters.add('index/add')
  return { action: 'add', document: filtered }
}
