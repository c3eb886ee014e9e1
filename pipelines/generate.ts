import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { bringDue } from '../lib/crawldb/due-ahead.js'
import { type Lock, lockDatum, lockOf } from '../lib/crawldb/lock.js'
import { metadataKeys } from '../lib/record/metadata.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import { keyOfUrl } from '../lib/record/url-key.js'
import { FetchListWriter } from '../lib/segment/fetch-list-writer.js'
import { parts } from '../lib/segment/part-names.js'
import { readFetchItems } from '../lib/segment/read-parts.js'
import { listSegments, Segment } from '../lib/segment/segment.js'
import type { StartedJob } from '../lib/store/job-ledger.js'
import { SortedUpdates } from '../lib/store/sorted-updates.js'
import { queueIdOf } from '../lib/url/hosts.js'
import { configHash } from './config-hash.js'
import type { GeneratedSegment, GenerateJob, GenerateReport } from './generate-job.js'
import { queueNamer, selectLists } from './generate-select.js'
import { withHostRules } from './host-rules.js'
import type { JobContext } from './job.js'
import { ListOrder } from './list-order.js'
import { ListPartition } from './list-partition.js'
import { type ListPlan, Planner } from './planner.js'
import { readPoliteness } from './politeness-file.js'

const recordsPerBatch = 2000

/**
 * Makes fetch lists of the best records that are due, each as a new segment, and locks them to it. Gives undefined if nothing is due.
 * Lists, intent, locks, names of the lists: in this order, so that a generate that was killed goes on from its intent, or leaves no trace.
 */
export async function generate(crawlDb: CrawlDb, given: GenerateJob): Promise<GenerateReport | undefined> {
  const job = withHostRules(crawlDb, given)
  const { context } = job
  const pending = await crawlDb.ledger.pending()
  if (pending?.kind === 'generate') return finishPending(crawlDb, context)
  await removeEmptySegments(context)
  const nowMs = context.clock.nowMs()
  await bringDue(crawlDb, nowMs, context.schedule)
  const segments = await writeLists(crawlDb, job, nowMs)
  if (segments.length === 0) return undefined
  const started = await crawlDb.ledger.begin(jobOf(segments, nowMs))
  return lockAndName(crawlDb, context, segments, started)
}

/** What generate would list now, in how much time: nothing is locked, and no segment made. */
export async function planGenerate(crawlDb: CrawlDb, given: GenerateJob): Promise<ListPlan> {
  const job = withHostRules(crawlDb, given)
  const { context } = job
  const nowMs = context.clock.nowMs()
  await bringDue(crawlDb, nowMs, context.schedule)
  const itemsOf = new Map<string, number>()
  const queueOf = queueNamer(job)
  for await (const selected of selectLists(crawlDb, job, nowMs))
    for (const { key } of selected) itemsOf.set(queueOf(key), (itemsOf.get(queueOf(key)) ?? 0) + 1)
  return new Planner(context.config, await readPoliteness(context.folder.root), nowMs, job.delayOf).plan(itemsOf)
}

function jobOf(segments: readonly { readonly name: string }[], timeMs: number): Omit<StartedJob, 'id' | 'mark' | 'isResumed'> {
  return { kind: 'generate', timeMs, configHash: configHash(), inputs: segments.map(({ name }) => ({ name, digest: '' })) }
}

/** Lists whose intent stands in the db were whole on disk before that: their locks and their names are what can be missing. */
async function finishPending(crawlDb: CrawlDb, context: JobContext): Promise<GenerateReport> {
  const pending = await crawlDb.ledger.pending()
  const names = pending?.inputs ?? []
  const started = await crawlDb.ledger.begin(jobOf(names, pending?.timeMs ?? 0))
  const segments = await Promise.all(names.map(({ name }) => Segment.open(join(context.folder.segments, name))))
  return lockAndName(crawlDb, context, segments, started)
}

/** Finishes a generate that was killed after its intent, if there is one. */
export async function finishPendingGenerate(crawlDb: CrawlDb, context: JobContext): Promise<void> {
  if ((await crawlDb.ledger.pending())?.kind === 'generate') await finishPending(crawlDb, context)
}

async function lockAndName(crawlDb: CrawlDb, context: JobContext, segments: readonly Segment[], started: StartedJob): Promise<GenerateReport> {
  await crawlDb.commits.run(() => crawlDb.commit([], crawlDb.ledger.enterChanges(started), true))
  const made: GeneratedSegment[] = []
  for (const segment of segments) {
    const items = await lockList(crawlDb, context, segment, started.timeMs, started.timeMs + context.config.generate.genDelayMs)
    await FetchListWriter.putInPlace(segment)
    await segment.recordStep('generate', { items, timeMs: started.timeMs })
    made.push({ segment: segment.name, items })
  }
  await crawlDb.commits.run(() => crawlDb.commit([], crawlDb.ledger.endChanges(started), true))
  const items = made.reduce((sum, part) => sum + part.items, 0)
  context.counters.add('generate/selected', items)
  return { segment: made[0]?.segment ?? '', items, segments: made }
}

/** Locks what a list holds, under whichever name it stands, in the order of keys: what is done for each host is then done once. Gives the number of
 *  its items. */
async function lockList(crawlDb: CrawlDb, { config, folder }: JobContext, segment: Segment, timeMs: number, untilMs: number): Promise<number> {
  const lock = { segment: segment.name, timeMs, untilMs }
  const sorted = new SortedUpdates({ spillFolder: join(folder.spool, `locks-${segment.name}`), memoryBytes: config.db.mergeMemoryBytes })
  try {
    const items = await addListed(sorted, segment)
    for await (const groups of sorted.batches(recordsPerBatch)) {
      const keys = groups.map(({ key }) => key)
      await crawlDb.commits.run(() => lockKeys(crawlDb, keys, lock))
    }
    return items
  } finally {
    await sorted.dispose()
  }
}

async function addListed(sorted: SortedUpdates, segment: Segment): Promise<number> {
  const path = segment.pathOf(parts.fetchList)
  let items = 0
  for (const file of [`${path}.tmp`, path]) {
    for await (const batch of readFetchItems(file)) {
      items += batch.length
      await sorted.add(batch.map(item => ({ key: keyOfUrl(item.url), payload: '' })))
    }
    if (items > 0) break
  }
  return items
}

/** Keys in order. */
async function lockKeys(crawlDb: CrawlDb, keys: readonly string[], lock: Lock): Promise<void> {
  const olds = await crawlDb.readMany(keys)
  const merged = keys.flatMap((key, index) => {
    const old = olds[index]
    return old === undefined || lockOf(old)?.segment === lock.segment ? [] : [{ key, old, next: lockDatum(old, lock) }]
  })
  await crawlDb.commit(merged)
}

/** Writes a list for each segment, and for each part that it is split into, where there is something for it. All are whole on disk, without their names yet. */
async function writeLists(crawlDb: CrawlDb, job: GenerateJob, nowMs: number): Promise<Segment[]> {
  const { config, folder } = job.context
  const order = new ListOrder({ spillFolder: join(folder.spool, 'generate-lists'), memoryBytes: config.db.mergeMemoryBytes })
  const segments: Segment[] = []
  try {
    await order.dispose() // runs of a killed process
    await addSelected(order, crawlDb, job, nowMs)
    let writer: FetchListWriter | undefined
    let lastList: number | undefined
    for await (const { list, keys } of order.parts(recordsPerBatch)) {
      if (list !== lastList) {
        await writer?.prepare()
        const segment = await Segment.create(folder.segments, nowMs)
        segments.push(segment)
        writer = await FetchListWriter.open(segment)
        lastList = list
      }
      await writer?.write(await listedItems(crawlDb, job, keys, segments.at(-1) as Segment, nowMs)) // made with the first keys
    }
    await writer?.prepare()
  } finally {
    await order.dispose()
  }
  return segments
}

async function addSelected(order: ListOrder, crawlDb: CrawlDb, job: GenerateJob, nowMs: number): Promise<void> {
  const { context, lists = 1, dealtForm } = job
  const partition = new ListPartition(context.config, { lists, dealtForm })
  for await (const selected of selectLists(crawlDb, job, nowMs)) {
    const parts = await partition.listsOf(selected.map(({ key }) => key))
    await order.add(selected.map(({ key, list }, index) => ({ key, list: list * lists + (parts[index] ?? 0) })))
  }
}

async function listedItems(
  crawlDb: CrawlDb,
  { context, delayOf }: GenerateJob,
  keys: readonly string[],
  { name }: Segment,
  nowMs: number,
): Promise<FetchItem[]> {
  const { config, schedule } = context
  const mode = config.fetch.queueMode === 'byDomain' ? 'byDomain' : 'byHost'
  const lock = { segment: name, timeMs: nowMs, untilMs: nowMs + config.generate.genDelayMs }
  return (await crawlDb.readMany(keys)).flatMap((datum): FetchItem[] => {
    if (datum === undefined) return []
    const queueId = queueIdOf(datum.url, mode)
    const listed = withDelay(lockDatum(schedule.asDue(datum, nowMs), lock), delayOf?.(queueId))
    return [{ url: datum.url, datum: listed, queueId, segment: name }]
  })
}

function withDelay(datum: DbDatum, delayMs: number | undefined): DbDatum {
  if (delayMs === undefined) return datum
  return { ...datum, metadata: { ...datum.metadata, [metadataKeys.variableFetchDelay]: String(delayMs) } }
}

/** Segments without a list are those of a generate that was killed before its intent: nothing is locked to them. */
async function removeEmptySegments({ folder }: JobContext): Promise<void> {
  for (const segment of await listSegments(folder.segments)) {
    if ((await segment.state()) === 'empty') await rm(segment.folder, { recursive: true, force: true })
  }
}
