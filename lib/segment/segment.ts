import { access, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'
import type { FetchItem, FetchOutcome, Parse } from '../record/records.js'
import { manifestName, type PartName, parts, warcNumber } from './part-names.js'
import { type LineBatch, type ReadLinesOptions, readLineBatches } from './read-lines.js'
import {
  type CrawlParseRecord,
  type ParsedText,
  readCrawlParseRecords,
  readFetchItems,
  readFetchOutcomes,
  readParses,
  readParseTexts,
} from './read-parts.js'
import { SegmentLock } from './segment-lock.js'
import { createSegmentFolder, isSegmentName } from './segment-name.js'
import { readSteps, recordStep, type StepFacts, type StepName, type Steps } from './steps.js'

/** How far a segment has come. `fetched` and `parsed` need the step's mark, not only its files. */
export type SegmentState = 'empty' | 'generated' | 'fetching' | 'fetched' | 'parsing' | 'parsed' | 'sealed'

/** A folder of segment parts, and how to read them. Writers are classes of their own. */
export class Segment {
  private constructor(
    readonly folder: string,
    readonly name: string,
  ) {}

  /** @throws {CrawlError} SEGMENT_MISSING if there is no such folder */
  static async open(folder: string): Promise<Segment> {
    try {
      await access(folder)
    } catch (cause) {
      throw new CrawlError('SEGMENT_MISSING', `${folder}: no such segment`, { cause })
    }
    return new Segment(folder, basename(folder))
  }

  /** Makes a new segment named for `nowMs`, or the next free second. */
  static async create(segmentsFolder: string, nowMs: number): Promise<Segment> {
    const name = await createSegmentFolder(segmentsFolder, nowMs)
    return new Segment(join(segmentsFolder, name), name)
  }

  /** The path of a part or a content file as it is called before the seal. */
  pathOf(name: string): string {
    return join(this.folder, name)
  }

  steps(): Promise<Steps> {
    return readSteps(this.folder)
  }

  recordStep(step: StepName, facts: StepFacts): Promise<void> {
    return recordStep(this.folder, step, facts)
  }

  async state(): Promise<SegmentState> {
    const names = new Set(await readdir(this.folder))
    const has = (part: PartName): boolean => names.has(part) || names.has(`${part}.gz`)
    const steps = await this.steps()
    if (names.has(manifestName)) return 'sealed'
    if (steps.parse !== undefined) return 'parsed'
    if (steps.fetch !== undefined) return has(parts.crawlParse) ? 'parsing' : 'fetched'
    if (has(parts.outcomes)) return 'fetching'
    return has(parts.fetchList) ? 'generated' : 'empty'
  }

  /** Whether a part is there, packed or not. */
  async hasPart(part: PartName): Promise<boolean> {
    const names = await readdir(this.folder)
    return names.includes(part) || names.includes(`${part}.gz`)
  }

  /** Size of the content files together; undefined if there are none. */
  async contentBytes(): Promise<number | undefined> {
    const names = await this.warcNames()
    if (names.length === 0) return undefined
    const sizes = await Promise.all(names.map(async name => (await stat(this.pathOf(name))).size))
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  /** Names of the content files in the order they were written. */
  async warcNames(): Promise<readonly string[]> {
    const names = (await readdir(this.folder)).filter(name => warcNumber(name) !== undefined)
    return names.sort((a, b) => (warcNumber(a) ?? 0) - (warcNumber(b) ?? 0))
  }

  /** Whole lines of a part, about 1 MB at a time: the raw form of the readers below. */
  readLines(part: PartName, options?: ReadLinesOptions): AsyncGenerator<LineBatch> {
    return readLineBatches(this.pathOf(part), options)
  }

  /** The fetch list, in batches. */
  readFetchList(options?: ReadLinesOptions): AsyncGenerator<readonly FetchItem[]> {
    return readFetchItems(this.pathOf(parts.fetchList), options)
  }

  /** Committed outcomes in the order they were committed, in batches. */
  readOutcomes(options?: ReadLinesOptions): AsyncGenerator<readonly FetchOutcome[]> {
    return readFetchOutcomes(this.pathOf(parts.outcomes), options)
  }

  /** Links and pages that updatedb reads, in batches; a page stands behind its links. What no page commits is left out. */
  readCrawlParse(options?: ReadLinesOptions): AsyncGenerator<readonly CrawlParseRecord[]> {
    return readCrawlParseRecords(this.pathOf(parts.crawlParse), options)
  }

  /** Parses without their texts, in batches. */
  readParseData(options?: ReadLinesOptions): AsyncGenerator<readonly Parse[]> {
    return readParses(this.pathOf(parts.parseData), options)
  }

  /** Texts of pages, in batches. */
  readParseText(options?: ReadLinesOptions): AsyncGenerator<readonly ParsedText[]> {
    return readParseTexts(this.pathOf(parts.parseText), options)
  }
}

/** All segments of a folder, oldest name first; none if the folder is not there. */
export async function listSegments(segmentsFolder: string): Promise<readonly Segment[]> {
  let entries: string[]
  try {
    entries = await readdir(segmentsFolder)
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return []
    throw error
  }
  return Promise.all(
    entries
      .filter(isSegmentName)
      .sort()
      .map(name => Segment.open(join(segmentsFolder, name))),
  )
}

/**
 * The oldest segment that still needs the step. A segment without a list (its generate was killed) needs none; one that is being fetched
 * needs fetch, and not parse yet. One that a process works on is passed over.
 */
export async function oldestNeeding(
  step: 'fetch' | 'parse',
  { segments, spool }: { readonly segments: string; readonly spool: string },
): Promise<Segment | undefined> {
  const wanted: readonly SegmentState[] = step === 'fetch' ? ['generated', 'fetching'] : ['fetched', 'parsing']
  for (const segment of await listSegments(segments)) {
    if (wanted.includes(await segment.state()) && !(await SegmentLock.isTaken(spool, segment.name))) return segment
  }
  return undefined
}
