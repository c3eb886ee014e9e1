import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { aheadByBucket, pullBackFarFuture } from '../lib/crawldb/due-ahead.js'
import { type Lock, lockDatum, lockOf } from '../lib/crawldb/lock.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import { alternateHosts, selectDue } from '../lib/crawldb/select-due.js'
import { CrawlError } from '../lib/errors/crawl-error.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import { isStatus } from '../lib/record/status.js'
import type { Url } from '../lib/record/url.js'
import { keyOfUrl } from '../lib/record/url-key.js'
import { FetchListWriter } from '../lib/segment/fetch-list-writer.js'
import { parts } from '../lib/segment/part-names.js'
import { readFetchItems } from '../lib/segment/read-parts.js'
import { listSegments, Segment } from '../lib/segment/segment.js'
import type { StartedJob } from '../lib/store/job-ledger.js'
import { queueIdOf, registeredDomainOf } from '../lib/url/hosts.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'

export interface GenerateJob {
  readonly context: JobContext
  /** URLs in the list at most. @defaultValue no limit */
  readonly topN?: number | undefined
  /** Looks this many days ahead. @defaultValue 0 */
  readonly addDays?: number | undefined
  /** URL filter of scope generate; a URL that it rejects is passed over. */
  readonly accepts?: ((url: Url) => boolean) | undefined
  /** Test of an expression over the record. */
  readonly matches?: ((datum: DbDatum) => boolean) | undefined
  /** Limit of one host or domain; overrides `generate.max.count`. */
  readonly maxPerGroup?: ((group: string) => number) | undefined
}

export interface GenerateReport {
  readonly segment: string
  readonly items: number
}

const recordsPerBatch = 2000

/**
 * Makes a fetch list of the best records that are due, as a new segment, and locks them to it. Gives undefined if nothing is due.
 * List, intent, locks, name of the list: in this order, so that a generate that was killed goes on from its intent, or leaves no trace.
 */
export async function generate(crawlDb: CrawlDb, job: GenerateJob): Promise<GenerateReport | undefined> {
  const { context } = job
  const pending = await crawlDb.ledger.pending()
  if (pending?.kind === 'generate') return finishPending(crawlDb, context)
  await removeEmptySegments(context)
  const nowMs = context.clock.nowMs()
  await promoteDue(crawlDb, nowMs)
  await pullBackFarFuture(crawlDb, nowMs, context.schedule)
  const keys = await select(crawlDb, job, nowMs)
  if (keys.length === 0) return undefined
  const segment = await Segment.create(context.folder.segments, nowMs)
  await writeList(crawlDb, context, segment, alternateHosts(keys), nowMs)
  const started = await crawlDb.ledger.begin(jobOf(segment.name, nowMs))
  return lockAndName(crawlDb, context, segment, started)
}

function jobOf(segmentName: string, timeMs: number): Omit<StartedJob, 'id' | 'mark' | 'isResumed'> {
  return { kind: 'generate', timeMs, configHash: configHash(), inputs: [{ name: segmentName, digest: '' }] }
}

/** A list whose intent stands in the db was whole on disk before that: its locks and its name are what can be missing. */
async function finishPending(crawlDb: CrawlDb, context: JobContext): Promise<GenerateReport> {
  const pending = await crawlDb.ledger.pending()
  const name = pending?.inputs[0]?.name ?? ''
  const started = await crawlDb.ledger.begin(jobOf(name, pending?.timeMs ?? 0))
  return lockAndName(crawlDb, context, await Segment.open(join(context.folder.segments, name)), started)
}

/** Finishes a generate that was killed after its intent, if there is one. */
export async function finishPendingGenerate(crawlDb: CrawlDb, context: JobContext): Promise<void> {
  if ((await crawlDb.ledger.pending())?.kind === 'generate') await finishPending(crawlDb, context)
}

async function lockAndName(crawlDb: CrawlDb, context: JobContext, segment: Segment, started: StartedJob): Promise<GenerateReport> {
  await crawlDb.commits.run(() => crawlDb.commit([], crawlDb.ledger.enterChanges(started), true))
  const untilMs = started.timeMs + context.config.generate.genDelayMs
  const path = segment.pathOf(parts.fetchList)
  let items = 0
  for (const file of [`${path}.tmp`, path]) {
    for await (const batch of readFetchItems(file)) {
      items += batch.length
      const locks = batch.map(item => keyOfUrl(item.url))
      await crawlDb.commits.run(() => lockKeys(crawlDb, locks, { segment: segment.name, timeMs: started.timeMs, untilMs }))
    }
    if (items > 0) break
  }
  await FetchListWriter.putInPlace(segment)
  await segment.recordStep('generate', { items, timeMs: started.timeMs })
  await crawlDb.commits.run(() => crawlDb.commit([], crawlDb.ledger.endChanges(started), true))
  context.counters.add('generate/selected', items)
  return { segment: segment.name, items }
}

async function lockKeys(crawlDb: CrawlDb, keys: readonly string[], lock: Lock): Promise<void> {
  const sorted = [...keys].sort()
  const olds = await crawlDb.readMany(sorted)
  const merged = sorted.flatMap((key, index) => {
    const old = olds[index]
    return old === undefined || lockOf(old)?.segment === lock.segment ? [] : [{ key, old, next: lockDatum(old, lock) }]
  })
  await crawlDb.commit(merged)
}

async function select(crawlDb: CrawlDb, job: GenerateJob, nowMs: number): Promise<string[]> {
  const { context, addDays = 0, topN } = job
  const { config, signal } = context
  const untilMs = nowMs + addDays * 86_400_000
  const maxCount = config.generate.maxPerHost > 0 ? config.generate.maxPerHost : Number.POSITIVE_INFINITY
  return selectDue(crawlDb, {
    topN: topN ?? Number.POSITIVE_INFINITY,
    maxPerGroup: job.maxPerGroup ?? (() => maxCount),
    groupOf: config.generate.countMode === 'domain' ? registeredDomainOf : host => host,
    minSortValue: config.generate.minScore,
    isWanted: wantedTest(job, untilMs),
    ...(addDays > 0 ? { ahead: await aheadByBucket(crawlDb, untilMs) } : {}),
    signal,
  })
}

/** The tests of Nutch's generator on one record, in its order; each refusal is counted. */
function wantedTest({ context, accepts, matches }: GenerateJob, untilMs: number): (datum: DbDatum) => boolean {
  const { config, schedule, counters } = context
  const { restrictStatus, minIntervalS } = config.generate
  if (restrictStatus !== '' && !isStatus(restrictStatus)) {
    throw new CrawlError('CONFIG_INVALID', `generate.restrict.status: there is no status ${restrictStatus}`)
  }
  const tests: readonly (readonly [name: string, test: (datum: DbDatum) => boolean])[] = [
    ['generate/filtered', datum => accepts?.(datum.url) ?? true],
    ['generate/not_due', datum => schedule.shouldFetch(datum, untilMs)],
    ['generate/expression', datum => matches?.(datum) ?? true],
    ['generate/status', datum => restrictStatus === '' || datum.status === restrictStatus],
    ['generate/interval', datum => minIntervalS < 0 || datum.fetchIntervalS <= minIntervalS],
  ]
  return datum => {
    const failed = tests.find(([, test]) => !test(datum))
    if (failed !== undefined) counters.add(failed[0])
    return failed === undefined
  }
}

async function writeList(crawlDb: CrawlDb, context: JobContext, segment: Segment, keys: readonly string[], nowMs: number): Promise<void> {
  const { config, schedule } = context
  const mode = config.fetch.queueMode === 'byDomain' ? 'byDomain' : 'byHost'
  const lock = { segment: segment.name, timeMs: nowMs, untilMs: nowMs + config.generate.genDelayMs }
  const writer = await FetchListWriter.open(segment)
  for (let start = 0; start < keys.length; start += recordsPerBatch) {
    const data = await crawlDb.readMany(keys.slice(start, start + recordsPerBatch))
    const items = data.flatMap((datum): FetchItem[] => {
      if (datum === undefined) return []
      return [{ url: datum.url, datum: lockDatum(schedule.asDue(datum, nowMs), lock), queueId: queueIdOf(datum.url, mode), segment: segment.name }]
    })
    await writer.write(items)
  }
  await writer.prepare()
}

/** Segments without a list are those of a generate that was killed before its intent: nothing is locked to them. */
async function removeEmptySegments({ folder }: JobContext): Promise<void> {
  for (const segment of await listSegments(folder.segments)) {
    if ((await segment.state()) === 'empty') await rm(segment.folder, { recursive: true, force: true })
  }
}
