import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../lib/config/options.js'
import type { AdmitUrl } from '../lib/fetch/redirect-rules.js'
import type { Counters } from '../lib/log/counters.js'
import type { Logger } from '../lib/log/logger.js'
import { noMetadata } from '../lib/record/metadata.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { FetchListWriter } from '../lib/segment/fetch-list-writer.js'
import { Segment } from '../lib/segment/segment.js'
import { createSegmentFolder } from '../lib/segment/segment-name.js'
import { SegmentWriter } from '../lib/segment/segment-writer.js'
import { LineSorter } from '../lib/segment/sort-lines.js'
import { UrlSet } from '../lib/segment/url-set.js'
import { queueIdOf } from '../lib/url/hosts.js'
import { type CaptureGroup, readCaptureGroups } from '../lib/warc/capture-groups.js'
import { encodeGroup } from '../lib/warc/encode-group.js'
import { encodeWarcinfo } from '../lib/warc/encode-warcinfo.js'
import { contentOf, type StoredContent } from '../lib/warc/stored-content.js'
import { captureTimeMs } from '../lib/warc/warc-fields.js'
import { importedOutcome } from './imported-outcome.js'

export interface ImportJob {
  readonly files: readonly string[]
  readonly segmentsFolder: string
  readonly config: Config
  readonly nowMs: number
  /** A raw URL as one of the crawl: normalized, and undefined if the filters refuse it. */
  readonly admitUrl: (raw: string) => Url | undefined
  readonly admitRedirect: AdmitUrl
  /** Whether each capture of a URL is taken, and not only the newest. @defaultValue false */
  readonly takesAll?: boolean
  readonly counters: Counters
  readonly log: Logger
  readonly signal?: AbortSignal | undefined
}

export interface ImportReport {
  readonly segment: string
  readonly pages: number
}

const maxSegments = 64

/**
 * Makes a segment out of WARC files made elsewhere, fetched and ready to be parsed. A URL stands once in a segment: of several captures the newest
 * with a body is taken or, if all are to be, the second goes to a second segment and so on, in the order of the files. Until a segment is whole it
 * has no segment's name, so a killed import leaves none.
 */
export async function importWarc(job: ImportJob): Promise<readonly ImportReport[]> {
  const { log, counters } = job
  await mkdir(job.segmentsFolder, { recursive: true })
  const isChosen = job.takesAll === true ? () => true : await chooseNewest(job)
  const open: OpenSegment[] = []
  const onLeftOut: LeftOut = (file, offsetBytes, reason) => {
    counters.add(`import/${reason}`)
    log.warn({ file, offsetBytes, reason }, 'left out of the import')
  }
  try {
    for await (const found of findCaptures(job, onLeftOut)) {
      if (isChosen(found)) await importCapture(job, open, found)
      else counters.add('import/older')
    }
    const reports: ImportReport[] = []
    for (const segment of open.splice(0)) reports.push(await segment.finish())
    return reports
  } finally {
    for (const segment of open) await segment.discard()
  }
}

/** A capture of a URL of the crawl. */
interface FoundCapture {
  readonly url: Url
  readonly group: CaptureGroup
  /** Place among all groups of all files. */
  readonly number: number
}

type LeftOut = (file: string, offsetBytes: number, reason: string) => void

async function* findCaptures({ files, admitUrl, signal }: ImportJob, onLeftOut: LeftOut): AsyncGenerator<FoundCapture> {
  let number = 0
  for (const file of files) {
    const options = { signal, onLeftOut: (left: { offsetBytes: number; reason: string }) => onLeftOut(file, left.offsetBytes, left.reason) }
    for await (const group of readCaptureGroups(file, options)) {
      number++
      const { uri, offsetBytes, head } = group.capture
      const url = /^https?:/i.test(uri) && captureTimeMs(head) !== undefined ? admitUrl(uri) : undefined
      if (url === undefined) onLeftOut(file, offsetBytes, 'rejected')
      else if (new URL(url).pathname === '/robots.txt') onLeftOut(file, offsetBytes, 'robots')
      else yield { url, group, number }
    }
  }
}

/** Reads the files once to find the newest capture of each URL: one with a body before a revisit, a later before an earlier one. */
async function chooseNewest(job: ImportJob): Promise<(found: FoundCapture) => boolean> {
  const sorter = new LineSorter(join(job.segmentsFolder, `import-${process.pid}.sort`))
  const chosen = new Set<number>()
  try {
    for await (const { url, group, number } of findCaptures(job, () => undefined)) {
      const { type, head } = group.capture
      const rank = `${type === 'revisit' ? 0 : 1}${new Date(captureTimeMs(head) ?? 0).toISOString()}`
      await sorter.add(`${url}\t${rank}\t${String(number).padStart(12, '0')}`)
    }
    let last: readonly string[] = []
    for await (const lines of sorter.sorted()) {
      for (const line of lines) {
        const fields = line.split('\t')
        if (last[0] !== undefined && last[0] !== fields[0]) chosen.add(Number(last[2]))
        last = fields
      }
    }
    if (last[2] !== undefined) chosen.add(Number(last[2]))
  } finally {
    await sorter.discard()
  }
  return ({ number }) => chosen.has(number)
}

async function importCapture(job: ImportJob, open: OpenSegment[], { url, group }: FoundCapture): Promise<void> {
  const { counters, config } = job
  let segment = open.find(candidate => !candidate.has(url))
  if (segment === undefined) {
    if (open.length >= maxSegments) return counters.add('import/too_many_captures')
    segment = await OpenSegment.begin(job, open.length)
    open.push(segment)
  }
  const { head, block } = group.capture
  const limitBytes = config.http.contentLimitBytes
  await segment.add(url, group, await contentOf(head, block, { maxPayloadBytes: limitBytes > 0 ? limitBytes : undefined }))
  counters.add('import/captures')
}

/** A segment that is being made. */
class OpenSegment {
  readonly #urls = new UrlSet()

  private constructor(
    readonly job: ImportJob,
    readonly segment: Segment,
    readonly content: SegmentWriter,
    readonly list: FetchListWriter,
  ) {}

  static async begin(job: ImportJob, number: number): Promise<OpenSegment> {
    const { segmentsFolder, config, nowMs } = job
    const folder = join(segmentsFolder, `import-${process.pid}-${number}.tmp`)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    const segment = await Segment.open(folder)
    const content = await SegmentWriter.open(segment, {
      encodeWarcinfo: filename => encodeWarcinfo({ filename, timeMs: nowMs, fields: { software: 'millrace', description: 'imported' } }),
      warcFileBytes: config.segment.warcFileBytes,
      syncs: config.segment.syncs,
    })
    return new OpenSegment(job, segment, content, await FetchListWriter.open(segment))
  }

  has(url: Url): boolean {
    return this.#urls.has(url)
  }

  async add(url: Url, group: CaptureGroup, content: StoredContent): Promise<void> {
    this.#urls.add(url)
    const { config, admitRedirect } = this.job
    const datum = importedDatum(url, content.dateMs, config)
    const item: FetchItem = { url, datum, queueId: queueIdOf(url, 'byHost'), segment: '' }
    await this.list.write([item])
    await this.content.append(encodeGroup(group, config.segment.gzipLevel), importedOutcome(url, content, { datum, admitRedirect }))
  }

  /** Makes the segment whole and gives it its name. */
  async finish(): Promise<ImportReport> {
    const { segmentsFolder, nowMs } = this.job
    const items = await this.list.commit()
    await this.segment.recordStep('generate', { items, timeMs: nowMs })
    await this.content.finish({ items, timeMs: nowMs })
    const name = await createSegmentFolder(segmentsFolder, nowMs)
    await rename(this.segment.folder, join(segmentsFolder, name))
    return { segment: name, pages: this.#urls.size }
  }

  async discard(): Promise<void> {
    await Promise.allSettled([this.content.close(), this.list.discard()])
    await rm(this.segment.folder, { recursive: true, force: true })
  }
}

/** The record of a URL before this fetch, as if it had been injected. */
function importedDatum(url: Url, dateMs: number, { db, schedule }: Config): DbDatum {
  const times = { fetchTimeMs: dateMs, modifiedTimeMs: 0, retries: 0, fetchIntervalS: schedule.intervalS }
  return { url, status: 'db_unfetched', ...times, score: db.injectedScore, metadata: noMetadata }
}
