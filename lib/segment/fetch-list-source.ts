import { type FileHandle, open } from 'node:fs/promises'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import { fetchItemFromJson } from '../record/fetch-json.js'
import { parseJsonObject, parseLine } from '../record/line-format.js'
import type { FetchItem } from '../record/records.js'
import { storedUrl } from '../record/url.js'
import { parts } from './part-names.js'
import { eachLine } from './read-lines.js'
import type { Segment } from './segment.js'
import type { UrlSet } from './url-set.js'

/** A fetch list that is taken from queue by queue, as the fetcher asks. */
export interface FetchListSource {
  /** Items that are still to be taken. */
  readonly remaining: number
  /** Up to `limit` queues that were not named before, in the order in which they come up in the list. Empty when all were named. */
  nextQueues(limit: number): Promise<readonly string[]>
  /** Up to `limit` items of a queue, in list order. Empty when it has no more. */
  take(queueId: string, limit: number): Promise<readonly FetchItem[]>
  close(): Promise<void>
}

/**
 * Opens a fetch list without what is in `skip`. In memory stand 16 bytes an item (where its line is, and the item after it in its queue) and
 * the names of the queues; items are read from the file when they are taken. 1 M items of 100 k hosts: about 40 MB.
 */
export async function openFetchListSource(segment: Segment, skip?: UrlSet): Promise<FetchListSource> {
  const index = new QueueIndex()
  for await (const { text, offsetBytes } of segment.readLines(parts.fetchList)) {
    const isAscii = Buffer.byteLength(text) === text.length
    let at = offsetBytes
    eachLine(text, line => {
      const lengthBytes = isAscii ? line.length : Buffer.byteLength(line)
      const tab = line.indexOf('\t')
      if (skip?.has(line.slice(0, tab)) !== true) index.add(queueIdOf(line, tab, segment, at), at, lengthBytes)
      at += lengthBytes + 1
    })
  }
  return new FileSource(segment, index, await open(segment.pathOf(parts.fetchList), 'r'))
}

/** Queue ids stand first in an item's JSON, so that they can be had without reading the rest. */
function queueIdOf(line: string, tab: number, segment: Segment, at: number): string {
  const lead = '{"queueId":"'
  if (line.startsWith(lead, tab + 1)) {
    const start = tab + 1 + lead.length
    const end = line.indexOf('"', start)
    if (end > 0 && line.lastIndexOf('\\', end) < start) return flat(line.slice(start, end))
  }
  try {
    return String(parseJsonObject(line.slice(tab + 1)).queueId)
  } catch (cause) {
    throw new CrawlError('SEGMENT_CORRUPT', `${segment.pathOf(parts.fetchList)}: line at byte ${at}: ${messageOf(cause)}`, { cause })
  }
}

/** A copy that does not keep the megabyte of text alive that it was cut from. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}

/** Chains of items, one for each queue, in typed arrays. */
class QueueIndex {
  readonly #numbers = new Map<string, number>()
  readonly names: string[] = []
  #heads = new Int32Array(1024)
  #tails = new Int32Array(1024)
  #offsets = new Float64Array(1024)
  #lengths = new Uint32Array(1024)
  #next = new Int32Array(1024)
  size = 0

  add(queueId: string, offsetBytes: number, lengthBytes: number): void {
    const item = this.size++
    if (item === this.#offsets.length) this.#growItems()
    this.#offsets[item] = offsetBytes
    this.#lengths[item] = lengthBytes
    this.#next[item] = -1
    const known = this.#numbers.get(queueId)
    const queue = known ?? this.#addQueue(queueId, item)
    if (known !== undefined) this.#next[this.#tails[queue] ?? 0] = item
    this.#tails[queue] = item
  }

  /** Takes up to `limit` items off a queue. */
  take(queueId: string, limit: number): readonly { readonly offsetBytes: number; readonly lengthBytes: number }[] {
    const queue = this.#numbers.get(queueId)
    const taken: { offsetBytes: number; lengthBytes: number }[] = []
    if (queue === undefined) return taken
    let item = this.#heads[queue] ?? -1
    for (; item >= 0 && taken.length < limit; item = this.#next[item] ?? -1)
      taken.push({ offsetBytes: this.#offsets[item] ?? 0, lengthBytes: this.#lengths[item] ?? 0 })
    this.#heads[queue] = item
    return taken
  }

  #addQueue(queueId: string, item: number): number {
    const queue = this.names.push(queueId) - 1
    if (queue === this.#heads.length) {
      this.#heads = grown(this.#heads, Int32Array)
      this.#tails = grown(this.#tails, Int32Array)
    }
    this.#numbers.set(queueId, queue)
    this.#heads[queue] = item
    return queue
  }

  #growItems(): void {
    this.#offsets = grown(this.#offsets, Float64Array)
    this.#lengths = grown(this.#lengths, Uint32Array)
    this.#next = grown(this.#next, Int32Array)
  }
}

function grown<T extends Int32Array | Uint32Array | Float64Array>(old: T, make: new (length: number) => T): T {
  const larger = new make(old.length * 2)
  larger.set(old)
  return larger
}

class FileSource implements FetchListSource {
  #named = 0
  remaining: number

  constructor(
    readonly segment: Segment,
    readonly index: QueueIndex,
    readonly handle: FileHandle,
  ) {
    this.remaining = index.size
  }

  async nextQueues(limit: number): Promise<readonly string[]> {
    const queues = this.index.names.slice(this.#named, this.#named + limit)
    this.#named += queues.length
    return queues
  }

  async take(queueId: string, limit: number): Promise<readonly FetchItem[]> {
    const places = this.index.take(queueId, limit)
    this.remaining -= places.length
    return Promise.all(places.map(({ offsetBytes, lengthBytes }) => this.#read(offsetBytes, lengthBytes)))
  }

  async #read(offsetBytes: number, lengthBytes: number): Promise<FetchItem> {
    const bytes = Buffer.alloc(lengthBytes)
    await this.handle.read(bytes, 0, lengthBytes, offsetBytes)
    try {
      const { key, value } = parseLine(bytes.toString())
      return fetchItemFromJson(storedUrl(key), value)
    } catch (cause) {
      throw new CrawlError('SEGMENT_CORRUPT', `${this.segment.pathOf(parts.fetchList)}: line at byte ${offsetBytes}: ${messageOf(cause)}`, { cause })
    }
  }

  close(): Promise<void> {
    return this.handle.close()
  }
}
