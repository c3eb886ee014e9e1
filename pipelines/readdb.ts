import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { decodeDatum } from '../lib/crawldb/datum-codec.js'
import { datumToLine } from '../lib/record/datum-json.js'
import { datumToNutchCsv, nutchCsvHeader } from '../lib/record/nutch-csv.js'
import { datumToNutchJson } from '../lib/record/nutch-json.js'
import { datumToNutchDump } from '../lib/record/nutch-text.js'
import type { DbDatum } from '../lib/record/records.js'
import type { KeyRange } from '../lib/record/url-key.js'

/** `text`, `csv` and `json` are Nutch's forms, `lines` is our line format. */
export type DumpFormat = 'text' | 'csv' | 'json' | 'lines'

/** How one record is written, with its line ends. */
export function recordFormatter(format: DumpFormat, timeZone: string): (datum: DbDatum) => string {
  switch (format) {
    case 'text':
      return datum => datumToNutchDump(datum, timeZone)
    case 'csv':
      return datum => datumToNutchCsv(datum, timeZone)
    case 'json':
      return datum => datumToNutchJson(datum, timeZone)
    case 'lines':
      return datumToLine
    default:
      return format satisfies never
  }
}

export interface DumpOptions {
  readonly format: DumpFormat
  readonly timeZone: string
  /** Key ranges to read, in order. @defaultValue the whole db */
  readonly ranges?: readonly Partial<KeyRange>[]
  /** Which records are written. @defaultValue all */
  readonly matches?: (datum: DbDatum) => boolean
  readonly signal?: AbortSignal | undefined
}

/** Writes records in the order of keys, at the reader's pace. Gives their number. */
export async function dumpDb(crawlDb: CrawlDb, out: Writable, options: DumpOptions): Promise<number> {
  const { format, timeZone, ranges = [{}], matches = () => true, signal } = options
  const formatRecord = recordFormatter(format, timeZone)
  if (format === 'csv') out.write(`${nutchCsvHeader}\n`)
  let count = 0
  for (const range of ranges) {
    for await (const batch of crawlDb.scan(range)) {
      signal?.throwIfAborted()
      let text = ''
      for (const [key, bytes] of batch) {
        const datum = decodeDatum(key, bytes)
        if (!matches(datum)) continue
        text += formatRecord(datum)
        count++
      }
      if (text !== '' && !out.write(text)) await once(out, 'drain', signal === undefined ? {} : { signal })
    }
  }
  return count
}

/** Which records count: those of a range of keys for which a test holds. */
export interface ChosenRecords {
  readonly range: Partial<KeyRange>
  readonly matches: (datum: DbDatum) => boolean
}

/** The `count` records with the highest scores, best first; equal ones in the order of URLs. A scan that keeps `count` records. */
export async function topByScore(
  crawlDb: CrawlDb,
  count: number,
  minScore: number,
  { range, matches }: ChosenRecords = { range: {}, matches: () => true },
): Promise<DbDatum[]> {
  const better = (a: DbDatum, b: DbDatum): number => b.score - a.score || (a.url < b.url ? -1 : 1)
  let best: DbDatum[] = []
  let threshold = minScore
  for await (const datum of crawlDb.records(range)) {
    if (datum.score < threshold || !matches(datum)) continue
    best.push(datum)
    if (best.length < count * 2 + 1000) continue
    best = best.sort(better).slice(0, count)
    threshold = Math.max(minScore, best.at(-1)?.score ?? minScore)
  }
  return best.sort(better).slice(0, count)
}
