import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import type { ManualClock } from '../../lib/log/clock.js'
import type { FetchItem, FetchOutcome, Parse } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'
import { encodeParse } from '../../lib/segment/encode-parse.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { Segment } from '../../lib/segment/segment.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import type { JobContext } from '../../pipelines/job.js'
import type { ModelOutcome, ModelRecord } from './model-crawldb.js'

/** A job is killed when it has looked for its signal so often; undefined lets it run. */
export type Crash = number | undefined

/** The CrawlDb and its jobs as they are, in a folder of their own. */
export interface Real {
  readonly context: JobContext
  readonly crawlDb: CrawlDb
  readonly clock: ManualClock
  nextFile: number
}

class Killed extends Error {}

/** A signal that "kills" the job that asks it for the n-th time. */
function killing(checks: number): AbortSignal {
  let left = checks
  const throwIfAborted = (): void => {
    if (left-- <= 0) throw new Killed('killed')
  }
  return Object.assign(new AbortController().signal, { throwIfAborted })
}

/** Runs a job; a killed one is run again, as the same command would. */
export async function run<T>(real: Real, crash: Crash, job: (context: JobContext) => Promise<T>): Promise<T> {
  if (crash === undefined) return job(real.context)
  try {
    return await job({ ...real.context, signal: killing(crash) })
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return job(real.context)
  }
}

export async function recordsOf(crawlDb: CrawlDb): Promise<Record<string, ModelRecord>> {
  const records: Record<string, ModelRecord> = {}
  for await (const { url, signature, metadata, ...rest } of crawlDb.records())
    records[url] = { ...rest, signature: signature === undefined ? '' : Buffer.from(signature).toString('hex'), metadata: { ...metadata } }
  return records
}

export async function readList(real: Real, segment: string): Promise<FetchItem[]> {
  const items: FetchItem[] = []
  for await (const batch of (await Segment.open(join(real.context.folder.segments, segment))).readFetchList()) items.push(...batch)
  return items
}

export async function writeFetch(segment: Segment, items: readonly FetchItem[], outcomes: readonly ModelOutcome[]): Promise<void> {
  const writer = await SegmentWriter.open(segment, { encodeWarcinfo: () => new Uint8Array(), syncs: 'never' })
  const itemOf = new Map(items.map(item => [item.url as string, item]))
  for (const outcome of outcomes) await writer.append(undefined, fetchOutcomeOf(itemOf.get(outcome.url) as FetchItem, outcome))
  await writer.finish({ items: outcomes.length, timeMs: 0 })
}

const statusOfKind = {
  success: ['fetch_success', 'success'],
  parse_failed: ['fetch_success', 'success'],
  unparsed: ['fetch_success', 'success'],
  notmodified: ['fetch_notmodified', 'notmodified'],
  redir_temp: ['fetch_redir_temp', 'temp_moved'],
  redir_perm: ['fetch_redir_perm', 'moved'],
  retry: ['fetch_retry', 'exception'],
  gone: ['fetch_gone', 'notfound'],
} as const

function fetchOutcomeOf({ url, datum }: FetchItem, { kind, fetchMs, redirectTo }: ModelOutcome): FetchOutcome {
  const [status, protocolStatus] = statusOfKind[kind]
  const isRedirect = kind === 'redir_temp' || kind === 'redir_perm'
  const redirect = { to: redirectTo, target: storedUrl(redirectTo), kind: kind === 'redir_perm' ? 'perm' : 'temp', via: 'location' } as const
  return {
    url,
    status,
    protocolStatus,
    datum,
    timing: { startMs: fetchMs, endMs: fetchMs },
    metadata: kind === 'retry' ? { _cause_: 'it failed' } : {},
    ...(isRedirect ? { redirect } : {}),
    ...(kind === 'retry' ? { cause: 'it failed' } : {}),
  }
}

export async function writeParses(
  { context }: Real,
  segment: Segment,
  items: readonly FetchItem[],
  outcomes: readonly ModelOutcome[],
): Promise<void> {
  const writer = await ParseWriter.open(segment, { syncs: 'never' })
  for (const { url, kind, signature, links } of outcomes) {
    if (kind !== 'success' && kind !== 'parse_failed') continue
    const item = items.find(one => one.url === url) as FetchItem
    const outlinks = kind === 'success' ? links.map(to => ({ url: storedUrl(to), anchor: '', rel: '', element: 'a' })) : []
    const parse: Parse = {
      url: item.url,
      status: kind === 'success' ? 'success' : 'failed',
      title: '',
      text: '',
      outlinks,
      metadata: {},
      robots: { noindex: false, nofollow: false, noarchive: false },
      signature: kind === 'success' ? Buffer.from(signature, 'hex') : new Uint8Array(),
    }
    const shares = context.scoring.distribute({ from: item.datum, parseMetadata: {}, extractedCount: outlinks.length, links: outlinks })
    await writer.append(encodeParse(parse, shares))
  }
  await writer.finish({ items: outcomes.length, timeMs: 0 })
}

const memoryFolder = '/dev/shm'

/** A new folder, in memory where the system has a place there: each commit is forced to the disk, and there are thousands. */
export async function withMemoryFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), 'millrace-spec-'))
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
