import { readManifest } from '../lib/segment/manifest.js'
import { parts } from '../lib/segment/part-names.js'
import { eachLine } from '../lib/segment/read-lines.js'
import type { Segment, SegmentState } from '../lib/segment/segment.js'

/** A row of `readseg --list`. Counts of parts that are not there are undefined. */
export interface SegmentRow {
  readonly name: string
  readonly state: SegmentState
  readonly generated: number | undefined
  readonly fetcherStartMs: number | undefined
  readonly fetcherEndMs: number | undefined
  readonly fetched: number | undefined
  readonly parsed: number | undefined
  readonly contentBytes: number | undefined
}

/** Counts what a segment holds; times are the first and the last fetch. */
export async function segmentRow(segment: Segment): Promise<SegmentRow> {
  const manifest = await readManifest(segment.folder)
  const lines = async (part: keyof typeof parts): Promise<number | undefined> =>
    manifest?.parts[parts[part]]?.lines ?? ((await segment.hasPart(parts[part])) ? countLines(segment, part) : undefined)
  let fetched: number | undefined
  let startMs = Number.POSITIVE_INFINITY
  let endMs = Number.NEGATIVE_INFINITY
  if (await segment.hasPart(parts.outcomes)) {
    fetched = 0
    for await (const outcomes of segment.readOutcomes()) {
      fetched += outcomes.length
      for (const { timing } of outcomes) {
        startMs = Math.min(startMs, timing.startMs)
        endMs = Math.max(endMs, timing.startMs)
      }
    }
  }
  return {
    name: segment.name,
    state: await segment.state(),
    generated: await lines('fetchList'),
    fetcherStartMs: Number.isFinite(startMs) ? startMs : undefined,
    fetcherEndMs: Number.isFinite(endMs) ? endMs : undefined,
    fetched,
    parsed: await lines('parseData'),
    contentBytes: await segment.contentBytes(),
  }
}

export const nutchListHead = 'NAME\t\tGENERATED\tFETCHER START\t\tFETCHER END\t\tFETCHED\tPARSED\n'

/** A row as Nutch's SegmentReader prints it. */
export function rowToNutchText(row: SegmentRow, timeZone: string): string {
  const count = (value: number | undefined): string => (value === undefined ? '?' : String(value))
  const start = row.fetcherStartMs === undefined ? '?\t' : localTime(row.fetcherStartMs, timeZone)
  const end = row.fetcherEndMs === undefined ? '?' : localTime(row.fetcherEndMs, timeZone)
  return `${row.name}\t${count(row.generated)}\t\t${start}\t${end}\t${count(row.fetched)}\t${count(row.parsed)}\n`
}

/** `2026-03-04T05:06:07` in a time zone. */
function localTime(timeMs: number, timeZone: string): string {
  const numeric = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  return new Intl.DateTimeFormat('sv-SE', { timeZone, ...numeric, hourCycle: 'h23' }).format(timeMs).replace(' ', 'T')
}

async function countLines(segment: Segment, part: keyof typeof parts): Promise<number> {
  let count = 0
  for await (const { text } of segment.readLines(parts[part])) eachLine(text, () => count++)
  return count
}
