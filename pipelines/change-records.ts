import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { decodeDatum } from '../lib/crawldb/datum-codec.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import type { DbDatum } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { keyOfUrl } from '../lib/record/url-key.js'
import { mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'
import type { CompiledChoice } from './record-test.js'

/** Records that an operator names: one by its URL, or those that a choice finds in a scan of its range. */
export type ChosenRecords = { readonly url: Url } | { readonly choice: CompiledChoice }

export interface ChangeJob {
  readonly context: JobContext
  /** What the ledger calls it. */
  readonly kind: string
  readonly records: ChosenRecords
  /** The record as it shall be, itself if it stays, undefined to delete it. Pure. `nowMs` is the job's time. */
  readonly change: (datum: DbDatum, nowMs: number) => DbDatum | undefined
  /** What the command said: the same job goes on after it was killed, another is refused. */
  readonly said: unknown
}

export interface ChangeReport {
  /** Records that were chosen. */
  readonly chosen: number
  readonly changed: number
  readonly removed: number
}

/** Changes chosen records, each exactly once: a job that was killed goes on behind the last key done. Costs the scan of the choice, and what changes. */
export async function changeRecords(crawlDb: CrawlDb, { context, kind, records, change, said }: ChangeJob): Promise<ChangeReport> {
  const { config, clock, signal, folder } = context
  const job = await crawlDb.ledger.begin({ kind, timeMs: clock.nowMs(), configHash: configHash(said), inputs: [] })
  await promoteDue(crawlDb, job.timeMs)
  const { keys, changed, removed } = await mergeUpdates<DbDatum>({
    target: crawlDb,
    job,
    updates: updatesOf(crawlDb, records, signal),
    reduce: (_key, old) => (old === undefined ? undefined : change(old, job.timeMs)),
    spillFolder: join(folder.spool, `${kind}-${job.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: config.db.batchRecords,
    signal,
  })
  return { chosen: keys, changed, removed }
}

/** Chosen records and what would become of them; nothing is written. */
export async function* previewChanges(
  crawlDb: CrawlDb,
  { context, records, change }: Omit<ChangeJob, 'said' | 'kind'>,
): AsyncGenerator<{ readonly before: DbDatum; readonly after: DbDatum | undefined }> {
  const nowMs = context.clock.nowMs()
  for await (const batch of chosenBatches(crawlDb, records, context.signal))
    for (const before of batch) yield { before, after: change(before, nowMs) }
}

async function* updatesOf(crawlDb: CrawlDb, records: ChosenRecords, signal: AbortSignal | undefined): AsyncGenerator<readonly Update[]> {
  for await (const batch of chosenBatches(crawlDb, records, signal)) yield batch.map(({ url }) => ({ key: keyOfUrl(url), payload: '' }))
}

async function* chosenBatches(crawlDb: CrawlDb, records: ChosenRecords, signal: AbortSignal | undefined): AsyncGenerator<readonly DbDatum[]> {
  if ('url' in records) {
    const datum = await crawlDb.get(records.url)
    yield datum === undefined ? [] : [datum]
    return
  }
  const { range, matches } = records.choice
  for await (const batch of crawlDb.scan(range)) {
    signal?.throwIfAborted()
    yield batch.map(([key, bytes]) => decodeDatum(key, bytes)).filter(matches)
  }
}
