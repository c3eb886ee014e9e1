import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import { reduceMerge } from '../lib/crawldb/rules/merge-rule.js'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import { datumToJson, dbDatumFromJson } from '../lib/record/datum-json.js'
import { parseJsonObject, parseLine } from '../lib/record/line-format.js'
import { nutchCsvHeader, nutchCsvReader } from '../lib/record/nutch-csv.js'
import { nutchJsonReader } from '../lib/record/nutch-json.js'
import type { NutchDumpReader, NutchRecord } from '../lib/record/nutch-record.js'
import { nutchTextReader } from '../lib/record/nutch-text.js'
import type { DbDatum } from '../lib/record/records.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { type Line, splitLines } from '../lib/stream/split-lines.js'
import { tryNormalizeUrl } from '../lib/url/normalize-url.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'
import type { DumpFormat } from './readdb.js'
import { inputOf, readSeedFile } from './seed-files.js'

export interface ImportDumpJob {
  readonly context: JobContext
  /** Files that `readdb -dump` wrote, of one form each; may be gzip. */
  readonly files: readonly string[]
  /** @defaultValue each file's own, by its first line */
  readonly format?: DumpFormat | undefined
  /** For zone names that stand for several offsets, such as CST; IANA name. */
  readonly timeZone?: string | undefined
  /** Fail at the first record that cannot be read. @defaultValue false */
  readonly isStrict?: boolean
}

export interface ImportDumpReport {
  readonly read: number
  /** Records that could not be read, or whose URL is none. */
  readonly malformed: number
  /** Records whose URL we spell otherwise than the dump. */
  readonly respelled: number
  readonly added: number
  /** Records that met one of the same URL. */
  readonly merged: number
}

/** Takes the records of a dump of a CrawlDb, Nutch's or ours, into the CrawlDb as they stand. Where there is a record already, mergedb's rule decides. */
export async function importDump(crawlDb: CrawlDb, job: ImportDumpJob): Promise<ImportDumpReport> {
  const { context, files, format, timeZone } = job
  const { config, clock, counters, signal, folder } = context
  const inputs = []
  for (const file of files) inputs.push(await inputOf(file, context.folder.root))
  const started = await crawlDb.ledger.begin({ kind: 'import', timeMs: clock.nowMs(), configHash: configHash(format, timeZone), inputs })
  await promoteDue(crawlDb, started.timeMs)
  const counts = await mergeUpdates<DbDatum>({
    target: crawlDb,
    job: started,
    updates: dumpUpdates(job),
    reduce: (key, old, payloads) => {
      const imported = payloads.map(payload => dbDatumFromJson(urlOfKey(key), parseJsonObject(payload)))
      return reduceMerge(old === undefined ? imported : [old, ...imported])
    },
    spillFolder: join(folder.spool, `import-${started.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: config.db.batchRecords,
    signal,
  })
  const { added } = counts
  const [read, malformed, respelled] = ['read', 'malformed', 'respelled'].map(name => counters.get(`import/${name}`)) as [number, number, number]
  return { read, malformed, respelled, added, merged: counts.keys - added }
}

async function* dumpUpdates(job: ImportDumpJob): AsyncGenerator<readonly Update[]> {
  const recordsPerBatch = 1000
  for (const file of job.files) {
    let reader: NutchDumpReader | undefined
    let batch: Update[] = []
    const take = (lineNumber: number, read: () => NutchRecord | undefined): void => {
      const update = updateOf(job, file, lineNumber, read)
      if (update !== undefined) batch.push(update)
    }
    for await (const line of splitLines()(readSeedFile(file))) {
      if (reader === undefined && line.fault === undefined && line.text.trim() === '') continue
      reader ??= readerOf(job.format ?? formatOf(line.text), job.timeZone)
      const current = reader
      take(line.number, () => current.take(textOf(line), line.number))
      if (batch.length < recordsPerBatch) continue
      yield batch
      batch = []
    }
    take(0, () => reader?.end())
    yield batch
  }
}

function textOf({ text, fault }: Line): string {
  if (fault !== undefined) throw fault
  return text
}

/** What a dump's first line says of its form. */
function formatOf(firstLine: string): DumpFormat {
  if (firstLine.startsWith('{')) return 'json'
  if (firstLine === nutchCsvHeader || firstLine.startsWith('"')) return 'csv'
  return /^\S+\t\{/.test(firstLine) ? 'lines' : 'text'
}

function readerOf(format: DumpFormat, timeZone: string | undefined): NutchDumpReader {
  switch (format) {
    case 'text':
      return nutchTextReader(timeZone)
    case 'csv':
      return nutchCsvReader(timeZone)
    case 'json':
      return nutchJsonReader(timeZone)
    case 'lines':
      return { take: readLineRecord, end: () => undefined }
    default:
      return format satisfies never
  }
}

/** A line of our own format; blank ones are passed over. */
function readLineRecord(text: string, lineNumber: number): NutchRecord | undefined {
  if (text.trim() === '') return undefined
  const { key, value } = parseLine(text)
  const url = tryNormalizeUrl(key)
  if (url === undefined) throw new CrawlError('LINE_INVALID', `line ${lineNumber}: no URL that can be crawled: ${key.slice(0, 200)}`)
  const { url: _, ...datum } = dbDatumFromJson(url, value)
  return { urlText: key, datum, lineNumber }
}

/** A record as an update, or nothing where none ends here, or (counted, and logged with its line) it cannot be used. */
function updateOf(
  { context, isStrict = false }: ImportDumpJob,
  file: string,
  lineNumber: number,
  read: () => NutchRecord | undefined,
): Update | undefined {
  const { counters, log } = context
  try {
    const record = read()
    if (record === undefined) return undefined
    counters.add('import/read')
    const url = tryNormalizeUrl(record.urlText)
    if (url === undefined) {
      throw new CrawlError('LINE_INVALID', `line ${record.lineNumber}: no URL that can be crawled: ${record.urlText.slice(0, 200)}`)
    }
    if (url !== record.urlText) counters.add('import/respelled')
    return { key: keyOfUrl(url), payload: JSON.stringify(datumToJson({ ...record.datum, url })) }
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error
    if (isStrict) throw new CrawlError('LINE_INVALID', `${file}: ${messageOf(error)}`, { cause: error })
    counters.add('import/malformed')
    log.warn({ file, ...placeOf(messageOf(error, 0), lineNumber) }, 'record left out')
    return undefined
  }
}

/** The line where the record begins, which the reader's message names, apart from the reason: a text record is known to be bad at its end only. */
function placeOf(message: string, lineNumber: number): { readonly line: number; readonly reason: string } {
  const [, line, reason] = /^line (\d+): (.*)$/s.exec(message) ?? []
  return line === undefined || reason === undefined ? { line: lineNumber, reason: message } : { line: Number(line), reason }
}
