import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { diskErrorOf } from './disk-errors.js'
import { RunQueue } from './run-queue.js'
import { RunReader } from './run-reader.js'
import { RunWriter } from './run-writer.js'
import type { CompareKeys, KeyOrder, Update } from './update.js'

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

/** Object, two string headers and the array slot of an update, measured. */
const overheadBytes = 96

/** Sorts any number of updates by key in bounded memory: sorted runs go to disk and are merged on reading. Ties keep the order of adding. */
export class SortedUpdates {
  readonly #options: SortedUpdatesOptions
  readonly #compare: CompareKeys
  #updates: Update[] = []
  #bytes = 0
  /** Runs in the order of adding: those that were merged into larger ones, then the others. */
  #mergedFiles: string[] = []
  #runFiles: string[] = []
  #filesMade = 0
  #count = 0

  constructor(options: SortedUpdatesOptions) {
    this.#options = options
    this.#compare = options.order === 'descending' ? compareDown : compareUp
  }

  /** Updates added so far, without those left out. */
  get count(): number {
    return this.#count
  }

  async add(updates: Iterable<Update>): Promise<void> {
    const { afterKey, memoryBytes } = this.#options
    for (const update of updates) {
      const { key, payload } = update
      if (afterKey !== undefined && this.#compare(key, afterKey) <= 0) continue
      key.charCodeAt(key.length - 1) // a string put together from parts keeps them all until one looks inside: a sixth of this memory
      this.#updates.push(update)
      this.#count++
      this.#bytes += key.length + payload.length + overheadBytes
    }
    if (this.#bytes > memoryBytes) await this.#spill()
  }

  /** Groups by key, `keysPerBatch` at a time, in `order`. */
  async *batches(keysPerBatch: number): AsyncGenerator<UpdateGroup[]> {
    const tail = sortUpdates(this.#updates, this.#compare)
    this.#updates = []
    const files = [...this.#mergedFiles, ...this.#runFiles]
    if (files.length === 0) return yield* groupSorted(tail, keysPerBatch)
    const readers = [...files.map((file, number) => RunReader.ofFile(file, number)), RunReader.ofUpdates(tail, files.length)]
    try {
      yield* groupMerged(await RunQueue.of(readers, this.#compare), keysPerBatch)
    } finally {
      await closeAll(readers)
    }
  }

  /** Removes what was spilled. */
  async dispose(): Promise<void> {
    await rm(this.#options.spillFolder, { recursive: true, force: true })
  }

  async #spill(): Promise<void> {
    const sorted = sortUpdates(this.#updates, this.#compare)
    this.#updates = []
    this.#bytes = 0
    const file = await this.#write(async writer => {
      for (const { key, payload } of sorted) {
        const writing = writer.add(key, payload)
        if (writing !== undefined) await writing
      }
    })
    this.#runFiles.push(file)
    if (this.#runFiles.length >= (this.#options.mostRuns ?? defaultMostRuns)) await this.#mergeRuns()
  }

  /** Makes one run of many: each that is read takes an open file and a piece in memory. */
  async #mergeRuns(): Promise<void> {
    const readers = this.#runFiles.map((file, number) => RunReader.ofFile(file, number))
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

function compareUp(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareDown(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0
}

function sortUpdates(updates: Update[], compare: CompareKeys): Update[] {
  return updates.sort((a, b) => compare(a.key, b.key)) // stable: ties keep their order
}

function* groupSorted(updates: readonly Update[], keysPerBatch: number): Generator<UpdateGroup[]> {
  let batch: UpdateGroup[] = []
  let start = 0
  while (start < updates.length) {
    const key = (updates[start] as Update).key
    let end = start + 1
    while (end < updates.length && (updates[end] as Update).key === key) end++
    const payloads: string[] = []
    for (let index = start; index < end; index++) payloads.push((updates[index] as Update).payload)
    if (batch.push({ key, payloads }) === keysPerBatch) {
      yield batch
      batch = []
    }
    start = end
  }
  if (batch.length > 0) yield batch
}

async function* groupMerged(runs: RunQueue, keysPerBatch: number): AsyncGenerator<UpdateGroup[]> {
  let batch: UpdateGroup[] = []
  for (let key = runs.first?.key; key !== undefined; key = runs.first?.key) {
    const payloads: string[] = []
    for (let run = runs.first; run?.key === key; run = runs.first) {
      payloads.push(run.payload)
      const reading = runs.advance()
      if (reading !== undefined) await reading
    }
    if (batch.push({ key, payloads }) === keysPerBatch) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}
