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
import { hostOf } from '../lib/url/hosts.js'
import type { JobContext } from './job.js'
import { readPageParses } from './page-parses.js'
import { lineUpdates } from './segment-lines.js'

/** What a page becomes in the index. */
export type IndexChange =
  | { readonly action: 'add'; readonly document: IndexDocument }
  | { readonly action: 'delete'; readonly id: string; readonly reason: string }

export interface IndexJob {
  readonly context: JobContext
  readonly crawlDb: CrawlDb
  /** For anchors; without it documents have none. */
  readonly linkDb?: LinkDb | undefined
  /** Newest first. */
  readonly segments: readonly Segment[]
  /** Newer segments that were indexed before: their pages are not taken from older ones. */
  readonly newer?: readonly Segment[]
  readonly onSegmentDone?: (segment: Segment) => Promise<void>
}

const pagesPerBatch = 500

/**
 * One change for each page: its newest copy, joined with the score of the CrawlDb and the anchors of the LinkDb as they are now (Nutch's indexer, without
 * rewriting segments). In the order of keys within a segment. Memory: one batch of pages, and 22 bytes for each URL.
 */
export async function* indexChanges(job: IndexJob): AsyncGenerator<IndexChange> {
  const seen = new UrlSet()
  for (const segment of job.newer ?? []) await noteDecided(segment, seen)
  for (const segment of job.segments) {
    const { context } = job
    const sorted = new SortedUpdates({
      spillFolder: join(context.folder.spool, `index-${segment.name}`),
      memoryBytes: context.config.db.mergeMemoryBytes,
    })
    try {
      for await (const updates of segmentUpdates(segment)) await sorted.add(updates)
      for await (const groups of sorted.batches(pagesPerBatch)) yield* changesOf(job, segment, groups, seen)
    } finally {
      await sorted.dispose()
    }
    await job.onSegmentDone?.(segment)
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

async function* changesOf(job: IndexJob, segment: Segment, groups: readonly UpdateGroup[], seen: UrlSet): AsyncGenerator<IndexChange> {
  const { context, crawlDb } = job
  const fresh = groups.filter(({ key }) => !seen.has(urlOfKey(key)))
  const data = await crawlDb.readMany(fresh.map(({ key }) => key))
  for (const [index, group] of fresh.entries()) {
    const page = readGroup(group)
    if (page === undefined || !decides(page.outcome)) continue
    seen.add(page.outcome.url)
    const datum = data[index]
    const decision = decideIndexing(page.outcome, page.parse, datum, context.config.index)
    context.counters.add(decision.action === 'add' ? 'index/add' : `index/${decision.action}/${decision.reason}`)
    if (decision.action === 'delete') yield { action: 'delete', id: page.outcome.url, reason: decision.reason }
    if (decision.action === 'add' && page.parse !== undefined && datum !== undefined) {
      yield { action: 'add', document: await documentOf(job, segment, page.outcome, page.parse, datum) }
    }
  }
}

function readGroup({ key, payloads }: UpdateGroup): { readonly outcome: FetchOutcome; readonly parse: Parse | undefined } | undefined {
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

async function documentOf(job: IndexJob, segment: Segment, outcome: FetchOutcome, parse: Parse, datum: DbDatum): Promise<IndexDocument> {
  const { context, linkDb } = job
  return buildDocument(
    {
      parse,
      datum,
      segment: segment.name,
      anchors: linkDb === undefined ? [] : await anchorsOf(linkDb, parse.url, context.config.link.maxInlinks),
      boost: context.scoring.indexerBoost(datum),
      fetchTimeMs: outcome.fetchTimeMs ?? outcome.timing.endMs,
      ...(outcome.modifiedTimeMs === undefined ? {} : { modifiedTimeMs: outcome.modifiedTimeMs }),
      ...(outcome.contentLengthBytes === undefined ? {} : { contentLengthBytes: outcome.contentLengthBytes }),
      headers: lowerCaseKeys(outcome.metadata),
    },
    context.config.index,
  )
}

/** Distinct anchors, one of each text for each source host (Nutch's Inlinks.getAnchors). */
async function anchorsOf(linkDb: LinkDb, url: Url, limit: number): Promise<string[]> {
  const seen = new Set<string>()
  const anchors: string[] = []
  for await (const { from, anchor } of linkDb.inlinks(url, limit)) {
    const key = `${hostOf(from)} ${anchor}`
    if (anchor === '' || seen.has(key)) continue
    seen.add(key)
    anchors.push(anchor)
  }
  return anchors
}

function lowerCaseKeys(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key.toLowerCase(), value]))
}
