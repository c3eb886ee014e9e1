import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { diskErrorOf } from './disk-errors.js'
import { RunReader } from './run-reader.js'
import type { KeyOrder, Update } from './update.js'
import { writeAll } from './write-all.js'

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
}

/** Object, two string headers and the array slot of an update, measured. */
const overheadBytes = 96

/** Sorts any number of updates by key in bounded memory: sorted runs go to disk and are merged on reading. Ties keep the order of adding. */
export class SortedUpdates {
  readonly #options: SortedUpdatesOptions
  readonly #compare: CompareKeys
  #updates: Update[] = []
  #bytes = 0
  #runFiles: string[] = []
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
    if (this.#runFiles.length === 0) return yield* groupSorted(tail, keysPerBatch)
    const readers = [...this.#runFiles.map(file => RunReader.ofFile(file)), RunReader.ofUpdates(tail)]
    try {
      yield* groupMerged(readers, keysPerBatch, this.#compare)
    } finally {
      await Promise.all(readers.map(reader => reader.close()))
    }
  }

  /** Removes what was spilled. */
  async dispose(): Promise<void> {
    await rm(this.#options.spillFolder, { recursive: true, force: true })
  }

  async #spill(): Promise<void> {
    const { spillFolder } = this.#options
    const file = join(spillFolder, `run-${String(this.#runFiles.length).padStart(5, '0')}`)
    const sorted = sortUpdates(this.#updates, this.#compare)
    this.#updates = []
    this.#bytes = 0
    try {
      await mkdir(spillFolder, { recursive: true })
      await writeRun(file, sorted)
    } catch (error) {
      throw diskErrorOf(error, file)
    }
    this.#runFiles.push(file)
  }
}

type CompareKeys = (a: string, b: string) => number

function compareUp(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareDown(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0
}

function sortUpdates(updates: Update[], compare: CompareKeys): Update[] {
  return updates.sort((a, b) => compare(a.key, b.key)) // stable: ties keep their order
}

/** Lines are put together some at a time, each time in the same buffer: memory that V8 counts as its own is a reason for it to collect. */
async function writeRun(file: string, updates: readonly Update[]): Promise<void> {
  const handle = await open(file, 'w')
  let buffer = Buffer.allocUnsafeSlow(pieceChars * 2)
  let text = ''
  const write = async (): Promise<void> => {
    if (buffer.length < text.length * utf8BytesPerUnit) buffer = Buffer.allocUnsafeSlow(text.length * utf8BytesPerUnit)
    await writeAll(handle, [buffer.subarray(0, buffer.write(text))])
    text = ''
  }
  try {
    for (const { key, payload } of updates) {
      text += `${key}\t${payload}\n`
      if (text.length > pieceChars) await write()
    }
    await write()
  } finally {
    await handle.close()
  }
}

const pieceChars = 128 * 1024
/** No UTF-16 unit takes more in UTF-8. */
const utf8BytesPerUnit = 3

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

async function* groupMerged(readers: readonly RunReader[], keysPerBatch: number, compare: CompareKeys): AsyncGenerator<UpdateGroup[]> {
  for (const reader of readers) await reader.advance()
  let batch: UpdateGroup[] = []
  for (let key = firstKey(readers, compare); key !== undefined; key = firstKey(readers, compare)) {
    const payloads: string[] = []
    for (const reader of readers) {
      while (reader.key === key) {
        payloads.push(reader.payload)
        if (!reader.advanceInMemory()) await reader.advance()
      }
    }
    if (batch.push({ key, payloads }) === keysPerBatch) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** The runs are few (one for each time the memory was full), so a pass over all of them is cheaper than a heap. */
function firstKey(readers: readonly RunReader[], compare: CompareKeys): string | undefined {
  let first: string | undefined
  for (const { key } of readers) if (key !== undefined && (first === undefined || compare(key, first) < 0)) first = key
  return first
}
