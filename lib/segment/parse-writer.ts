import { CrawlError } from '../errors/crawl-error.js'
import { parseLine } from '../record/line-format.js'
import { storedUrl } from '../record/url.js'
import { AppendFile } from './append-file.js'
import { commitTail, type EncodedParse } from './encode-parse.js'
import { GroupCommit } from './group-commit.js'
import { readLinesBackward } from './lines-backward.js'
import { type PartName, parts } from './part-names.js'
import { openIfThere } from './read-lines.js'
import { type ParsedPage, parsedPageFromJson } from './read-parts.js'
import type { Segment } from './segment.js'
import type { StepFacts } from './steps.js'
import { syncFolder } from './sync-folder.js'

export interface ParseWriterOptions {
  /** @defaultValue 'roll': at close */
  readonly syncs?: 'roll' | 'batch' | 'never'
}

const maxBatchBytes = 16 * 1024 * 1024

interface Page {
  readonly encoded: EncodedParse
  /** Resolves when the page itself is committed. */
  readonly isFetched: Promise<unknown> | undefined
}

/**
 * Writes the parse parts of a segment. parse_data and parse_text come first, then the links and, last, the page's own line in crawl_parse,
 * which commits the page and names the lengths of the other two. Opening cuts all three files behind the last commit.
 */
export class ParseWriter {
  readonly #commits = new GroupCommit<Page, undefined>({
    commit: batch => this.#commit(batch),
    sizeOf: ({ encoded: { data, text, crawl } }) => data.length + text.length + crawl.length,
    maxBatchBytes,
  })
  #isClosed = false

  private constructor(
    readonly segment: Segment,
    readonly syncs: 'roll' | 'batch' | 'never',
    readonly data: AppendFile,
    readonly text: AppendFile,
    readonly crawl: AppendFile,
  ) {}

  /** @throws {CrawlError} SEGMENT_STATE if the segment's parse is done */
  static async open(segment: Segment, { syncs = 'roll' }: ParseWriterOptions = {}): Promise<ParseWriter> {
    const steps = await segment.steps()
    if (steps.parse !== undefined) throw new CrawlError('SEGMENT_STATE', `segment ${segment.name} is parsed already`)
    const { crawlEndBytes, dataEndBytes, textEndBytes } = await findLastParse(segment)
    const data = await AppendFile.open(segment.pathOf(parts.parseData), dataEndBytes)
    const text = await AppendFile.open(segment.pathOf(parts.parseText), textEndBytes)
    const crawl = await AppendFile.open(segment.pathOf(parts.crawlParse), crawlEndBytes)
    if (syncs !== 'never') await syncFolder(segment.folder)
    return new ParseWriter(segment, syncs, data, text, crawl)
  }

  /**
   * Stores and commits one page, but not before `isFetched`, the commit of its outcome, has resolved; if that fails, so does this.
   * @throws {CrawlError} DISK_FULL, IO_FAILED
   */
  async append(encoded: EncodedParse, isFetched?: Promise<unknown>): Promise<void> {
    await this.#commits.append({ encoded, isFetched })
  }

  /** Forces all to the disk and closes the files; the parse can be gone on with. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#commits.drained()
    try {
      if (this.#commits.failure === undefined && this.syncs !== 'never') await this.#sync()
    } finally {
      await Promise.allSettled([this.data.close(), this.text.close(), this.crawl.close()])
    }
  }

  /** Closes, and marks the parse as done. */
  async finish(facts: StepFacts): Promise<void> {
    await this.close()
    if (this.#commits.failure !== undefined) throw this.#commits.failure
    await this.segment.recordStep('parse', facts)
  }

  async #commit(batch: readonly Page[]): Promise<undefined[]> {
    let dataEndBytes = this.data.lengthBytes
    let textEndBytes = this.text.lengthBytes
    const crawl: Uint8Array[] = []
    for (const { encoded } of batch) {
      dataEndBytes += encoded.data.length
      textEndBytes += encoded.text.length
      crawl.push(encoded.crawl, Buffer.from(commitTail(dataEndBytes, textEndBytes)))
    }
    const data = this.data.append(batch.map(({ encoded }) => encoded.data))
    const text = this.text.append(batch.map(({ encoded }) => encoded.text))
    await Promise.all([data, text, ...batch.map(({ isFetched }) => isFetched)])
    if (this.syncs === 'batch') await Promise.all([this.data.sync(), this.text.sync()])
    await this.crawl.append(crawl)
    if (this.syncs === 'batch') await this.crawl.sync()
    return batch.map(() => undefined)
  }

  async #sync(): Promise<void> {
    await Promise.all([this.data.sync(), this.text.sync()])
    await this.crawl.sync()
  }
}

interface LastParse {
  readonly crawlEndBytes: number
  readonly dataEndBytes: number
  readonly textEndBytes: number
}

/** The last page whose line is whole and whose data and text are there: both files must end a line where it says. */
async function findLastParse(segment: Segment): Promise<LastParse> {
  for await (const { text, endBytes } of readLinesBackward(segment.pathOf(parts.crawlParse))) {
    const page = pageOf(text)
    if (page === undefined) continue
    const { dataEndBytes, textEndBytes } = page
    if (!(await endsLineAt(segment, parts.parseData, dataEndBytes))) continue
    if (await endsLineAt(segment, parts.parseText, textEndBytes)) return { crawlEndBytes: endBytes, dataEndBytes, textEndBytes }
  }
  return { crawlEndBytes: 0, dataEndBytes: 0, textEndBytes: 0 }
}

function pageOf(text: string): ParsedPage | undefined {
  try {
    const { key, value } = parseLine(text)
    return value.status === 'linked' ? undefined : parsedPageFromJson(storedUrl(key), value)
  } catch {
    return undefined // not written whole
  }
}

async function endsLineAt(segment: Segment, part: PartName, endBytes: number): Promise<boolean> {
  if (endBytes === 0) return true
  const handle = await openIfThere(segment.pathOf(part))
  if (handle === undefined) return false
  try {
    const last = Buffer.alloc(1)
    const { bytesRead } = await handle.read(last, 0, 1, endBytes - 1)
    return bytesRead === 1 && last[0] === 10
  } finally {
    await handle.close()
  }
}
