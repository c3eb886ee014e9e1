import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { compareText } from '../stream/compare-text.js'
import { diskErrorOf } from './disk-errors.js'
import { RunQueue } from './run-queue.js'
import { RunReader } from './run-reader.js'
import { RunWriter } from './run-writer.js'
import type { CompareKeys, KeyOrder, Update } from './update.js'
import { UpdateArena } from './update-arena.js'

export type { Update }

/** All updates of one key, in the order in which they were added. */
export interface UpdateGroup {
  readonly key: string
  readonly payloads: readonly string[]
}

export interface SortedUpdatesOptions {
  /** Folder for runs that do not fit into memory; made when needed, removed by `dispose()`. */
  readonly spillFolder: string
  /** Memory that updates may take before they are written out as a sorted run. */
  readonly memoryBytes: number
  /** @defaultValue 'ascending' */
  readonly order?: KeyOrder | undefined
  /** Keys that come, in this order, before this one or are it are left out: a job that goes on after it was killed has done them. */
  readonly afterKey?: string | undefined
  /** So many runs are merged into a larger one. @defaultValue 128 */
  readonly mostRuns?: number
}

const defaultMostRuns = 128

/** Sorts any number of updates by key in bounded memory: sorted runs go to disk and are merged on reading. Ties keep the order of adding. */
export class SortedUpdates {
  readonly #options: SortedUpdatesOptions
  readonly #compare: CompareKeys
  readonly #order: KeyOrder
  #arena: UpdateArena
  /** Runs in the order of adding: those that were merged into larger ones, then the others. */
  #mergedFiles: string[] = []
  #runFiles: string[] = []
  #filesMade = 0
  #count = 0

  constructor(options: SortedUpdatesOptions) {
    this.#options = options
    this.#order = options.order ?? 'ascending'
    this.#arena = new UpdateArena(options.memoryBytes)
    this.#compare = this.#order === 'descending' ? compareDown : compareText
  }

  /** Updates added so far, without those left out. */
  get count(): number {
    return this.#count
  }

  async add(updates: Iterable<Update>): Promise<void> {
    const { afterKey } = this.#options
    for (const update of updates) {
      if (afterKey !== undefined && this.#compare(update.key, afterKey) <= 0) continue
      this.#arena.add(update)
      this.#count++
    }
    if (this.#arena.isFull) await this.#spill()
  }

  /** Groups by key, `keysPerBatch` at a time, in `order`. */
  async *batches(keysPerBatch: number): AsyncGenerator<UpdateGroup[]> {
    const readers = await this.#readers()
    try {
      yield* grouped(await RunQueue.of(readers, this.#compare), keysPerBatch)
    } finally {
      await closeAll(readers)
    }
  }

  /** Removes what was spilled. */
  async dispose(): Promise<void> {
    await rm(this.#options.spillFolder, { recursive: true, force: true })
  }

  /** Where some runs are on disk all are: what goes on with the groups has the memory. */
  async #readers(): Promise<RunReader[]> {
    if (this.#filesMade > 0) {
      if (!this.#arena.isEmpty) await this.#spill()
      this.#arena = new UpdateArena(0)
      return [...this.#mergedFiles, ...this.#runFiles].map((file, number) => new RunReader(file, number))
    }
    this.#arena.sort(this.#order)
    return [new RunReader(this.#arena, 0)]
  }

  async #spill(): Promise<void> {
    this.#arena.sort(this.#order)
    this.#runFiles.push(await this.#write(writer => writer.addAll(this.#arena)))
    if (this.#runFiles.length >= (this.#options.mostRuns ?? defaultMostRuns)) await this.#mergeRuns()
  }

  /** Makes one run of many: each that is read takes an open file and a piece in memory. */
  async #mergeRuns(): Promise<void> {
    const readers = this.#runFiles.map((file, number) => new RunReader(file, number))
    try {
      const file = await this.#write(async writer => {
        const runs = await RunQueue.of(readers, this.#compare)
        for (let run = runs.first; run?.key !== undefined; run = runs.first) {
          const writing = writer.add(run.key, run.payload)
          if (writing !== undefined) await writing
          const reading = runs.advance()
          if (reading !== undefined) await reading
        }
      })
      this.#mergedFiles.push(file)
    } finally {
      await closeAll(readers)
    }
    for (const file of this.#runFiles.splice(0)) await rm(file)
  }

  async #write(fill: (writer: RunWriter) => Promise<void>): Promise<string> {
    const { spillFolder } = this.#options
    const file = join(spillFolder, `run-${String(this.#filesMade++).padStart(5, '0')}`)
    try {
      await mkdir(spillFolder, { recursive: true })
      const writer = await RunWriter.open(file)
      try {
        await fill(writer)
      } finally {
        await writer.close()
      }
    } catch (error) {
      throw diskErrorOf(error, file)
    }
    return file
  }
}

async function closeAll(readers: readonly RunReader[]): Promise<void> {
  await Promise.all(readers.map(reader => reader.close()))
}

function compareDown(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0
}

async function* grouped(runs: RunQueue, keysPerBatch: number): AsyncGenerator<UpdateGroup[]> {
  let batch: UpdateGroup[] = []
  let group: { readonly key: string; readonly payloads: string[] } | undefined
  for (let run = runs.first; run?.key !== undefined; run = runs.first) {
    if (run.key === group?.key) group.payloads.push(run.payload)
    else {
      if (batch.length === keysPerBatch) {
        yield batch
        batch = []
      }
      group = { key: run.key, payloads: [run.payload] }
      batch.push(group)
    }
    const reading = runs.advance()
    if (reading !== undefined) await reading
  }
  if (batch.length > 0) yield batch
}
