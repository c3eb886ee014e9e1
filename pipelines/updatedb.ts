import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { lockOf, unlockDatum } from '../lib/crawldb/lock.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import { reduceUpdate } from '../lib/crawldb/rules/update-rule.js'
import { outcomeFromJson } from '../lib/record/fetch-json.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import type { DbDatum, FetchOutcome } from '../lib/record/records.js'
import { storedUrl } from '../lib/record/url.js'
import { parts } from '../lib/segment/part-names.js'
import { listSegments, type Segment } from '../lib/segment/segment.js'
import { UrlSet } from '../lib/segment/url-set.js'
import type { JobInput } from '../lib/store/job-ledger.js'
import { type MergeCounts, mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { configHash } from './config-hash.js'
import { HostKeeper, hostOutcomeOf } from './host-db.js'
import type { JobContext } from './job.js'
import { redirectLinks } from './redirect-links.js'
import { lineUpdates } from './segment-lines.js'
import { crawlParseUpdate, isLinkLine, listedUpdate, outcomeUpdate, readPayloads, redirectUpdate } from './update-payloads.js'
import { type UpdateUrlRules, updateUrlRules } from './update-url-rules.js'

export interface UpdateJob {
  readonly context: JobContext
  /** Segments whose fetch and parse have ended. Those that the ledger holds as applied are passed over and counted. */
  readonly segments: readonly Segment[]
}

export interface UpdateReport extends MergeCounts {
  /** Segments applied by this job. */
  readonly applied: readonly string[]
  /** Segments that were applied before. */
  readonly skipped: readonly string[]
}

const nothingDone: MergeCounts = { updates: 0, keys: 0, added: 0, changed: 0, removed: 0 }

/** Merges what was fetched and parsed into the CrawlDb (Nutch's CrawlDb job), each segment exactly once. */
export async function updatedb(crawlDb: CrawlDb, { context, segments }: UpdateJob): Promise<UpdateReport> {
  const { config, schedule, scoring, clock, counters, signal, folder } = context
  const [fresh, skipped] = await partitionApplied(crawlDb, segments)
  counters.add('updatedb/already_applied', skipped.length)
  if (fresh.length === 0) return { ...nothingDone, applied: [], skipped: skipped.map(segment => segment.name) }
  const inputs = await Promise.all(fresh.map(inputOf))
  const urlRules = updateUrlRules(context)
  const hash = configHash(
    config.db.isAdditionAllowed,
    config.db.maxInlinks,
    config.db.retryMax,
    config.db.parseMetadataKeys,
    config.schedule,
    config.score,
    ...(urlRules === undefined ? [] : [urlRules.fingerprint]),
  )
  const job = await crawlDb.ledger.begin({ kind: 'updatedb', timeMs: clock.nowMs(), configHash: hash, inputs })
  await promoteDue(crawlDb, job.timeMs)
  const rules = { schedule, scoring, db: config.db, nowMs: job.timeMs }
  const names = fresh.map(segment => segment.name)
  const hosts = crawlDb.state.keepsHosts === true ? new HostKeeper() : undefined
  const counts = await mergeUpdates({
    target: hosts?.targetOf(crawlDb) ?? crawlDb,
    job,
    updates: segmentUpdates(context, fresh, urlRules),
    reduce: (key, old, payloads) => {
      const updates = readPayloads(key, payloads, old?.url)
      if (urlRules?.isRejected(updates.url) === true) return undefined
      if (updates.fetch !== undefined && 'protocolStatus' in updates.fetch) hosts?.add(key, hostOutcomeOf(updates.fetch))
      return released(reduceUpdate(old, updates, rules), updates.listedIn)
    },
    spillFolder: join(folder.spool, `updatedb-${job.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: config.db.batchRecords,
    applied: names,
    signal,
  })
  for (const name of ['updates', 'keys', 'added', 'changed', 'removed'] as const) counters.add(`updatedb/${name}`, counts[name])
  return { ...counts, applied: names, skipped: skipped.map(segment => segment.name) }
}

/** Parsed segments that the ledger does not hold as applied, oldest first. */
export async function segmentsToApply(crawlDb: CrawlDb, context: JobContext): Promise<Segment[]> {
  const parsed: Segment[] = []
  for (const segment of await listSegments(context.folder.segments)) {
    const state = await segment.state()
    if (state === 'parsed' || state === 'sealed') parsed.push(segment)
  }
  const [fresh] = await partitionApplied(crawlDb, parsed)
  return fresh
}

async function partitionApplied(crawlDb: CrawlDb, segments: readonly Segment[]): Promise<[fresh: Segment[], applied: Segment[]]> {
  const fresh: Segment[] = []
  const applied: Segment[] = []
  for (const segment of segments) ((await crawlDb.ledger.appliedAtMs(segment.name)) === undefined ? fresh : applied).push(segment)
  return [fresh, applied]
}

/** What identifies the parts that the job reads: their lengths, since parts only ever grow. */
async function inputOf(segment: Segment): Promise<JobInput> {
  const lengths = await Promise.all([parts.outcomes, parts.crawlParse].map(part => lengthOf(segment.pathOf(part))))
  return { name: segment.name, digest: lengths.join(' ') }
}

async function lengthOf(path: string): Promise<number> {
  for (const file of [path, `${path}.gz`]) {
    const found = await stat(file).catch(() => undefined) // a part that is not there is empty
    if (found !== undefined) return found.size
  }
  return 0
}

/**
 * Of each page the first parse in a segment: a page that was fetched twice, by its own item and by a redirect, or again after a kill, links once. Links
 * stand before their page.
 */
class FirstParses {
  readonly #pages = new UrlSet()
  #links: Update[] = []

  link(update: Update): readonly Update[] {
    this.#links.push(update)
    return []
  }

  page(url: string, update: Update): readonly Update[] {
    const links = this.#links
    this.#links = []
    if (this.#pages.has(url)) return []
    this.#pages.add(url)
    links.push(update)
    return links
  }
}

async function* segmentUpdates(
  context: JobContext,
  segments: readonly Segment[],
  urlRules: UpdateUrlRules | undefined,
): AsyncGenerator<readonly Update[]> {
  const targetOf = (url: string, json: string): string => (urlRules !== undefined && isLinkLine(json) ? urlRules.targetOf(url) : url)

  for (const segment of segments) {
    yield* lineUpdates(segment, parts.fetchList, url => listedUpdate(segment.name, url))
    const parses = new FirstParses()
    yield* lineUpdates(segment, parts.crawlParse, (url, json) => {
      const update = crawlParseUpdate(segment.name, targetOf(url, json), json)
      return isLinkLine(json) ? parses.link(update) : parses.page(url, update)
    })
    yield* lineUpdates(segment, parts.outcomes, (url, json) => {
      const update = outcomeUpdate(segment.name, url, json)
      return json.includes('"redirect":') ? [update, ...redirectUpdates(context, outcomeFromJson(storedUrl(url), parseJsonObject(json)))] : update
    })
  }
}

/** Without the lock of a segment that has ended: what it did not fetch is due as before. */
function released(datum: DbDatum | undefined, listedIn: readonly string[]): DbDatum | undefined {
  const holder = datum === undefined || listedIn.length === 0 ? undefined : lockOf(datum)?.segment
  return datum !== undefined && holder !== undefined && listedIn.includes(holder) ? unlockDatum(datum) : datum
}

/** A redirect target that rules accept becomes a link with the source's interval. */
function redirectUpdates({ scoring }: JobContext, outcome: FetchOutcome): Update[] {
  return redirectLinks(outcome, scoring).map(({ from, to, score, metadata }) =>
    redirectUpdate(to, { status: 'linked', from, score, metadata }, outcome.datum.fetchIntervalS),
  )
}
