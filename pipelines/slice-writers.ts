import { rm } from 'node:fs/promises'
import { CrawlError } from '../lib/errors/crawl-error.js'
import type { EncodedRecords } from '../lib/record/encoded-records.js'
import type { FetchItem, FetchOutcome, Link, Parse } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { encodeParse } from '../lib/segment/encode-parse.js'
import { FetchListWriter } from '../lib/segment/fetch-list-writer.js'
import { ParseWriter } from '../lib/segment/parse-writer.js'
import { Segment } from '../lib/segment/segment.js'
import { SegmentWriter } from '../lib/segment/segment-writer.js'
import { UrlSet } from '../lib/segment/url-set.js'
import { encodeWarcinfo } from '../lib/warc/encode-warcinfo.js'
import type { CommonParts, MergeJob } from './merge-job.js'

/** New segments that can be written to at once: each holds five files open. */
const maxSlices = 100

/** The new segments of a merge: a URL stays in the slice that its first record went to. */
export class SliceWriters {
  readonly #urls = new UrlSet()
  readonly #slices: Promise<Slice>[] = []

  constructor(
    readonly job: MergeJob,
    readonly has: CommonParts,
  ) {}

  async writeItem(item: FetchItem): Promise<void> {
    const slice = await this.#sliceOf(item.url)
    await slice.list?.write([{ ...item, segment: slice.segment.name }])
  }

  async writeFetched(encoded: EncodedRecords | undefined, outcome: FetchOutcome): Promise<void> {
    await (await this.#sliceOf(outcome.url)).content?.append(encoded, outcome)
    this.job.counters.add('mergesegs/fetched')
  }

  async writeParsed(parse: Parse, links: readonly Link[]): Promise<void> {
    const { storesText } = this.job.config.parse
    await (await this.#sliceOf(parse.url)).parse?.append(encodeParse(parse, links, { storesText }))
    this.job.counters.add('mergesegs/parsed')
  }

  /** Makes the segments whole. @returns their names */
  async finish(): Promise<string[]> {
    const timeMs = this.job.nowMs
    const names: string[] = []
    for (const { segment, list, content, parse } of await Promise.all(this.#slices)) {
      const items = await list?.commit()
      if (items !== undefined) await segment.recordStep('generate', { items, timeMs })
      await content?.finish({ timeMs })
      await parse?.finish({ timeMs })
      names.push(segment.name)
    }
    return names
  }

  /** Leaves no new segment. */
  async discard(): Promise<void> {
    for (const started of await Promise.allSettled(this.#slices)) {
      if (started.status === 'rejected') continue
      const { segment, list, content, parse } = started.value
      await Promise.allSettled([list?.discard(), content?.close(), parse?.close()])
      await rm(segment.folder, { recursive: true, force: true })
    }
  }

  #sliceOf(url: Url): Promise<Slice> {
    this.#urls.add(url)
    const number = Math.floor((this.#urls.numberOf(url) ?? 0) / (this.job.urlsPerSlice ?? Number.POSITIVE_INFINITY))
    if (number >= maxSlices) throw new CrawlError('USAGE', `--slice ${this.job.urlsPerSlice} would make more than ${maxSlices} segments`)
    const known = this.#slices[number]
    if (known !== undefined) return known
    const started = startSlice(this.job, this.has)
    this.#slices[number] = started
    return started
  }
}

interface Slice {
  readonly segment: Segment
  readonly list: FetchListWriter | undefined
  readonly content: SegmentWriter | undefined
  readonly parse: ParseWriter | undefined
}

async function startSlice({ outFolder, nowMs, config }: MergeJob, has: CommonParts): Promise<Slice> {
  const segment = await Segment.create(outFolder, nowMs)
  const { warcFileBytes, syncs } = config.segment
  const encode = (filename: string): Uint8Array =>
    encodeWarcinfo({ filename, timeMs: nowMs, fields: { software: 'millrace', description: 'merged' } })
  return {
    segment,
    list: has.fetchList ? await FetchListWriter.open(segment) : undefined,
    content: has.outcomes ? await SegmentWriter.open(segment, { encodeWarcinfo: encode, warcFileBytes, syncs }) : undefined,
    parse: has.parse ? await ParseWriter.open(segment, { syncs }) : undefined,
  }
}
