import { CrawlError } from '../errors/crawl-error.js'
import type { EncodedRecords } from '../record/encoded-records.js'
import { outcomeToJson } from '../record/fetch-json.js'
import { formatLine } from '../record/line-format.js'
import type { ContentRef, FetchOutcome } from '../record/records.js'
import { AppendFile } from './append-file.js'
import { captureLogHead, formatCapture } from './capture-log.js'
import type { CommitMark } from './commit-mark.js'
import { GroupCommit } from './group-commit.js'
import { captureLogName, parts, warcName } from './part-names.js'
import { type RecoveredFetch, recoverFetch } from './recover-fetch.js'
import type { Segment } from './segment.js'
import type { StepFacts } from './steps.js'
import { syncFolder } from './sync-folder.js'

export interface SegmentWriterOptions {
  /** Makes the first record of a content file. */
  readonly encodeWarcinfo: (filename: string) => Uint8Array
  /** Size at which a content file is closed. @defaultValue 1 GB */
  readonly warcFileBytes?: number
  /** When files are forced to the disk: at roll and close, after each batch too, or never. @defaultValue 'roll' */
  readonly syncs?: 'roll' | 'batch' | 'never'
}

interface Page {
  readonly encoded: EncodedRecords | undefined
  readonly outcome: FetchOutcome
}

const maxBatchBytes = 16 * 1024 * 1024

/**
 * Writes what the fetch of a segment gives, so that a kill at any moment loses no committed page: the WARC records of a batch of pages and their
 * captures are written first, then the outcome lines, which commit them. Pages that come while a batch is being written make the
 * next one. After a failed write nothing more is taken; opening the segment again cuts what was not committed.
 */
export class SegmentWriter {
  readonly #commits: GroupCommit<Page, FetchOutcome>
  #isClosed = false
  #warc: AppendFile | undefined
  #warcFile = ''
  #warcinfoBytes = 0
  #nextWarcNumber: number
  #mark: CommitMark | undefined

  private constructor(
    readonly segment: Segment,
    readonly options: Required<SegmentWriterOptions>,
    readonly recovered: RecoveredFetch,
    readonly outcomes: AppendFile,
    readonly captures: AppendFile,
  ) {
    this.#nextWarcNumber = recovered.nextWarcNumber
    this.#mark = recovered.mark
    this.#commits = new GroupCommit({
      commit: batch => this.#commit(batch),
      sizeOf: ({ encoded }) => encoded?.bytes.length ?? 0,
      maxBatchBytes,
    })
  }

  /**
   * Opens a segment for fetching, or for going on with a fetch that was stopped or killed.
   * @throws {CrawlError} SEGMENT_STATE if its fetch is done
   */
  static async open(segment: Segment, options: SegmentWriterOptions): Promise<SegmentWriter> {
    const steps = await segment.steps()
    if (steps.fetch !== undefined) throw new CrawlError('SEGMENT_STATE', `segment ${segment.name} is fetched already`)
    const recovered = await recoverFetch(segment)
    const outcomes = await AppendFile.open(segment.pathOf(parts.outcomes))
    const captures = await AppendFile.open(segment.pathOf(captureLogName))
    if (captures.lengthBytes === 0) await captures.append([Buffer.from(recovered.isCaptureLogWhole ? `${captureLogHead}\n` : '!partial\n')])
    if (options.syncs !== 'never') await syncFolder(segment.folder)
    return new SegmentWriter(segment, { warcFileBytes: 1_000_000_000, syncs: 'roll', ...options }, recovered, outcomes, captures)
  }

  /**
   * Stores a page's records and commits its outcome. @returns the outcome with `content` set to the page's own capture, once it is committed
   * @throws {CrawlError} DISK_FULL, IO_FAILED; then nothing of the page is committed
   */
  append(encoded: EncodedRecords | undefined, outcome: FetchOutcome): Promise<FetchOutcome> {
    return this.#commits.append({ encoded, outcome })
  }

  /** Commits what was appended, forces it to the disk and closes the files. The fetch can be gone on with. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#commits.drained()
    try {
      if (this.#commits.failure === undefined && this.options.syncs !== 'never') await this.#sync()
    } finally {
      await Promise.allSettled([this.#warc?.close(), this.captures.close(), this.outcomes.close()])
    }
  }

  /** Closes, and marks the fetch as done. */
  async finish(facts: StepFacts): Promise<void> {
    await this.close()
    if (this.#commits.failure !== undefined) throw this.#commits.failure
    await this.segment.recordStep('fetch', facts)
  }

  /** Content and captures, then the outcomes. A batch that crosses the size of a content file is written in two. */
  async #commit(batch: readonly Page[]): Promise<FetchOutcome[]> {
    const committed: FetchOutcome[] = []
    const captures: string[] = []
    const lines: string[] = []
    let content: Uint8Array[] = []
    let contentBytes = 0
    for (const { encoded, outcome } of batch) {
      if (encoded === undefined || encoded.bytes.length === 0) {
        committed.push(outcome)
        lines.push(outcomeLine(outcome, this.#mark))
        continue
      }
      if (this.#isFull(contentBytes, encoded.bytes.length)) {
        await this.#warc?.append(content)
        content = []
        contentBytes = 0
        await this.#roll()
      }
      const startBytes = (this.#warc?.lengthBytes ?? 0) + contentBytes
      const ref = this.#place(encoded, startBytes, captures)
      content.push(encoded.bytes)
      contentBytes += encoded.bytes.length
      this.#mark = { file: this.#warcFile, endBytes: startBytes + encoded.bytes.length }
      const stored = ref === undefined ? outcome : { ...outcome, content: ref }
      committed.push(stored)
      lines.push(outcomeLine(stored, this.#mark))
    }
    await Promise.all([this.#warc?.append(content), this.captures.append([Buffer.from(captures.join(''))])])
    if (this.options.syncs === 'batch') await this.#syncContent()
    await this.outcomes.append([Buffer.from(lines.join(''))])
    if (this.options.syncs === 'batch') await this.outcomes.sync()
    return committed
  }

  /** Notes the captures of some records; the place of the last one, which is the page's own. */
  #place(encoded: EncodedRecords, startBytes: number, captures: string[]): ContentRef | undefined {
    let ref: ContentRef | undefined
    for (const { capture, offsetBytes, lengthBytes } of encoded.records) {
      if (capture === undefined) continue
      ref = { file: this.#warcFile, offsetBytes: startBytes + offsetBytes, lengthBytes }
      captures.push(formatCapture(capture, ref.file, ref.offsetBytes, lengthBytes))
    }
    return ref
  }

  /** A page that is larger than a whole file gets one of its own. */
  #isFull(pendingBytes: number, moreBytes: number): boolean {
    if (this.#warc === undefined) return true
    const filledBytes = this.#warc.lengthBytes + pendingBytes
    return filledBytes + moreBytes > this.options.warcFileBytes && filledBytes > this.#warcinfoBytes
  }

  async #roll(): Promise<void> {
    if (this.#warc !== undefined && this.options.syncs !== 'never') await this.#sync()
    await this.#warc?.close()
    this.#warcFile = warcName(this.#nextWarcNumber++)
    this.#warc = await AppendFile.open(this.segment.pathOf(this.#warcFile))
    const warcinfo = this.options.encodeWarcinfo(this.#warcFile)
    await this.#warc.append([warcinfo])
    this.#warcinfoBytes = warcinfo.length
    if (this.options.syncs !== 'never') await syncFolder(this.segment.folder)
  }

  async #syncContent(): Promise<void> {
    await this.#warc?.sync()
    await this.captures.sync()
  }

  async #sync(): Promise<void> {
    await this.#syncContent()
    await this.outcomes.sync()
  }
}

function outcomeLine(outcome: FetchOutcome, mark: CommitMark | undefined): string {
  const json = outcomeToJson(outcome)
  return formatLine(outcome.url, mark === undefined ? json : { ...json, commit: mark })
}
