import { machineOffsetMs, systemClock } from '../lib/log/clock.js'
import { metadataKeys, withoutMetadata } from '../lib/record/metadata.js'
import type { FetchOutcome } from '../lib/record/records.js'
import { ParseWriter } from '../lib/segment/parse-writer.js'
import type { Segment } from '../lib/segment/segment.js'
import { SegmentWriter } from '../lib/segment/segment-writer.js'
import type { StepFacts } from '../lib/segment/steps.js'
import { encodeWarcinfo } from '../lib/warc/encode-warcinfo.js'
import type { JobContext } from './job.js'
import type { PageResult } from './page-work.js'

/** The writers of one segment. Whoever opens them ends them in one of the two ways. */
export class SegmentWriters {
  #isClosed = false
  constructor(
    readonly content: SegmentWriter,
    readonly parse: ParseWriter | undefined,
  ) {}

  /** Stores a page and its parse. @returns the outcome as it is committed @throws {CrawlError} DISK_FULL, IO_FAILED */
  async store({ records, parse }: PageResult, outcome: FetchOutcome): Promise<FetchOutcome> {
    const fetched = this.content.append(records, outcome)
    await Promise.all([fetched, parse === undefined ? undefined : this.parse?.append(parse, fetched)])
    return fetched
  }

  /** Leaves the fetch to be gone on with. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.content.close()
    await this.parse?.close()
  }

  /** Marks the fetch as done. */
  async finish(facts: StepFacts): Promise<void> {
    this.#isClosed = true
    await this.content.finish(facts)
    await this.parse?.close()
  }
}

export async function openSegmentWriters({ config, clock }: JobContext, segment: Segment, isParsing: boolean): Promise<SegmentWriters> {
  const { syncs, warcFileBytes } = config.segment
  const content = await SegmentWriter.open(segment, {
    encodeWarcinfo: filename => encodeWarcinfo({ filename, timeMs: clock.nowMs(), fields: warcinfoFields(config.http.agentName) }),
    warcFileBytes,
    syncs,
  })
  return new SegmentWriters(content, isParsing ? await ParseWriter.open(segment, { syncs }) : undefined)
}

function warcinfoFields(agentName: string): Record<string, string> {
  return { software: 'millrace', robots: 'obey', 'http-header-user-agent': agentName }
}

/**
 * Where the recorded time is fixed, an outcome holds nothing that would differ in another run at that time, but for its `timing`. Where the machine's
 * clock was set since the crawl began, the outcome says what makes its time of the time by which delays were kept.
 */
export function recordedOutcome({ clock, pacingClock }: JobContext, outcome: FetchOutcome): FetchOutcome {
  if (clock === pacingClock) return outcome
  const offsetMs = machineOffsetMs(pacingClock)
  if (clock === systemClock && offsetMs === 0) return outcome
  const timing = { ...outcome.timing, offsetMs }
  if (clock === systemClock) return { ...outcome, timing, fetchTimeMs: outcome.timing.endMs + offsetMs }
  return { ...outcome, timing, fetchTimeMs: clock.nowMs(), metadata: withoutMetadata(outcome.metadata, [metadataKeys.responseTime]) }
}
