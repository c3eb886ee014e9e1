import { CrawlError, isCrawlError } from '../errors/crawl-error.js'
import { batchRecords } from '../stream/batch.js'
import type { CommitQueue } from './commit-queue.js'
import type { JobLedger, StartedJob } from './job-ledger.js'
import type { Change } from './level-store.js'
import { SortedUpdates, type Update, type UpdateGroup } from './sorted-updates.js'

/** One key as the merge found it and leaves it; the same object twice means that nothing changes. */
export interface Merged<R> {
  readonly key: string
  readonly old: R | undefined
  readonly next: R | undefined
}

/** A database that updates can be merged into. */
export interface MergeTarget<R> {
  readonly commits: CommitQueue
  readonly ledger: JobLedger
  /** Old records in the order of `keys`, which are sorted. */
  readSorted(keys: readonly string[]): Promise<(R | undefined)[]>
  /** Begins what need not wait until the commit before has ended. */
  prepare(merged: readonly Merged<R>[]): Commit
}

/** Writes prepared records and all that depends on them, together with `extra`, in one atomic batch. */
export type Commit = (extra: readonly Change[], isSynced?: boolean) => Promise<void>

export interface MergeOptions<R> {
  readonly target: MergeTarget<R>
  readonly job: StartedJob
  readonly updates: AsyncIterable<readonly Update[]>
  /** Called once for each key and job; gives the old record back to change nothing, undefined to delete. */
  readonly reduce: (key: string, old: R | undefined, payloads: readonly string[]) => R | undefined
  readonly spillFolder: string
  readonly memoryBytes: number
  readonly keysPerBatch: number
  /** Names that the ledger holds as applied when the job has ended. */
  readonly applied?: readonly string[]
  readonly signal?: AbortSignal | undefined
}

export interface MergeCounts {
  readonly updates: number
  readonly keys: number
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/**
 * Sorts updates by key, meets each with the old record, and writes what `reduce` makes of them in atomic batches that carry the job's mark.
 * Killed anywhere and run again it ends in the same database, byte for byte. Cost: proportional to the updates.
 */
export async function mergeUpdates<R>(options: MergeOptions<R>): Promise<MergeCounts> {
  const { target, job, spillFolder, memoryBytes, keysPerBatch, signal } = options
  const sorted = new SortedUpdates({ spillFolder, memoryBytes, order: job.order, afterKey: job.mark })
  const counts = { updates: 0, keys: 0, added: 0, changed: 0, removed: 0 }
  try {
    await sorted.dispose() // runs of a killed process
    for await (const updates of options.updates) {
      signal?.throwIfAborted()
      await sorted.add(updates)
    }
    counts.updates = sorted.count
    await target.commits.run(() => target.prepare([])(target.ledger.enterChanges(job), true))
    for await (const batches of batchRecords<UpdateGroup[]>(batchesPerTurn)(sorted.batches(keysPerBatch))) {
      signal?.throwIfAborted()
      if (job.order === 'descending') for (const batch of batches) batch.reverse() // of its own, each ascends
      await target.commits.run(() => mergeBatches(options, batches, counts))
    }
    await target.commits.run(() => target.prepare([])(target.ledger.endChanges(job, options.applied), true))
  } catch (error) {
    throw withCommitted(error, job, counts.keys)
  } finally {
    await sorted.dispose()
  }
  return counts
}

/** Batches of one turn of the commit queue: the old records of one are read, met and prepared while the one before is written. */
const batchesPerTurn = 4

async function mergeBatches<R>(options: MergeOptions<R>, batches: readonly (readonly UpdateGroup[])[], counts: Mutable<MergeCounts>): Promise<void> {
  const { target } = options
  const readOlds = (groups: readonly UpdateGroup[]): Promise<(R | undefined)[]> => awaitedLater(target.readSorted(groups.map(group => group.key)))
  let reading = readOlds(batches[0] ?? [])
  let writing: Promise<void> = Promise.resolve()
  try {
    for (const [index, groups] of batches.entries()) {
      const olds = await reading
      const next = batches[index + 1]
      if (next !== undefined) reading = readOlds(next)
      const merged = mergeBatch(options, groups, olds)
      const commit = options.target.prepare(merged)
      await writing
      writing = awaitedLater(writeBatch(options, groups, commit).then(() => countBatch(counts, groups, merged)))
    }
    await writing
  } catch (error) {
    await Promise.allSettled([reading, writing]) // the first failure is the one to tell
    throw error
  }
}

/** A failure before somebody waits for it is not one that nobody handles. */
function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}

function mergeBatch<R>({ reduce }: MergeOptions<R>, groups: readonly UpdateGroup[], olds: readonly (R | undefined)[]): Merged<R>[] {
  const merged: Merged<R>[] = []
  for (const [index, { key, payloads }] of groups.entries()) {
    const old = olds[index]
    const next = reduce(key, old, payloads)
    if (next !== old) merged.push({ key, old, next })
  }
  return merged
}

/** The mark is the key that the merge came to last: within a batch keys ascend. */
async function writeBatch<R>({ target, job }: MergeOptions<R>, groups: readonly UpdateGroup[], commit: Commit): Promise<void> {
  const last = groups.at(job.order === 'descending' ? 0 : -1) as UpdateGroup // a batch is never empty
  await commit([target.ledger.markChange(last.key)])
}

function countBatch<R>(counts: Mutable<MergeCounts>, groups: readonly UpdateGroup[], merged: readonly Merged<R>[]): void {
  counts.keys += groups.length
  for (const { old, next } of merged) counts[old === undefined ? 'added' : next === undefined ? 'removed' : 'changed']++
}

/** Where the disk is full it matters what was done: the job goes on behind it. */
function withCommitted(error: unknown, job: StartedJob, keys: number): unknown {
  if (!isCrawlError(error, 'DISK_FULL') && !isCrawlError(error, 'IO_FAILED')) return error
  return new CrawlError(error.code, `${error.message}; ${job.kind} committed ${keys} URLs and goes on behind them when it is run again`, {
    cause: error,
  })
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }
