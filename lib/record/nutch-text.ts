import { CrawlError } from '../errors/crawl-error.js'
import { formatJavaDate, parseJavaDate } from './java-date.js'
import { formatJavaFloat } from './java-float.js'
import { toHex } from './json-fields.js'
import { atLine, datumOfRaw, type NutchDumpReader, type NutchRecord, nutchVersion, secondsOfDay } from './nutch-record.js'
import type { CrawlDatum } from './records.js'
import { statusCodes } from './status.js'

/**
 * A record as Nutch's CrawlDatum.toString prints it, without its URL and without an LF at the end: `readdb -dump` writes URL, TAB, this, LF;
 * `readdb -url` writes `URL: `, URL, LF, this, LF.
 * @param timeZone IANA name. @defaultValue UTC
 */
export function datumToNutchText(datum: CrawlDatum, timeZone = 'UTC'): string {
  const head = [
    `Version: ${nutchVersion}`,
    `Status: ${statusCodes[datum.status]} (${datum.status})`,
    `Fetch time: ${formatJavaDate(datum.fetchTimeMs, timeZone)}`,
    `Modified time: ${formatJavaDate(datum.modifiedTimeMs, timeZone)}`,
    `Retries since fetch: ${datum.retries}`,
    `Retry interval: ${datum.fetchIntervalS} seconds (${Math.trunc(datum.fetchIntervalS / secondsOfDay)} days)`,
    `Score: ${formatJavaFloat(datum.score)}`,
    `Signature: ${datum.signature === undefined ? 'null' : toHex(datum.signature)}`,
    'Metadata: ',
  ]
  let text = `${head.join('\n')}\n `
  for (const [key, value] of Object.entries(datum.metadata)) text += `\t${key}=${value}\n`
  return text
}

/** One entry of `readdb -dump` in its normal form, with its LF. */
export function datumToNutchDump(datum: CrawlDatum, timeZone = 'UTC'): string {
  return `${datum.url}\t${datumToNutchText(datum, timeZone)}\n`
}

interface Draft {
  readonly urlText: string
  readonly lineNumber: number
  readonly fields: Map<string, string>
  readonly metadata: Record<string, string>
  /** The metadata entry read last: a value may hold line ends. */
  lastKey: string | undefined
  isInMetadata: boolean
  blankLines: number
}

const firstLine = /^(\S+)\tVersion: \d+$/
const urlLine = /^URL: (\S.*)$/

/** Reads what `readdb -dump` in its normal form, or `readdb -url`, wrote.
 *  @param timeZone for zone names that stand for several offsets, such as CST */
export function nutchTextReader(timeZone?: string): NutchDumpReader {
  let draft: Draft | undefined
  const close = (): NutchRecord | undefined => {
    const done = draft
    draft = undefined
    return done === undefined ? undefined : recordOf(done, timeZone)
  }
  return {
    take(line, lineNumber) {
      const urlText = firstLine.exec(line)?.[1] ?? urlLine.exec(line)?.[1]
      if (urlText === undefined) {
        if (draft !== undefined) takeLine(draft, line)
        else if (line.trim() !== '') throw atLine(lineNumber, 'no record begins here')
        return undefined
      }
      try {
        return close()
      } finally {
        draft = { urlText, lineNumber, fields: new Map(), metadata: {}, lastKey: undefined, isInMetadata: false, blankLines: 0 }
      }
    },
    end: close,
  }
}

function takeLine(draft: Draft, line: string): void {
  if (!draft.isInMetadata) {
    const colon = line.indexOf(': ')
    if (colon > 0) draft.fields.set(line.slice(0, colon), line.slice(colon + 2))
    draft.isInMetadata = line.startsWith('Metadata:')
    return
  }
  const entry = line.startsWith(' \t') ? line.slice(2) : line.startsWith('\t') ? line.slice(1) : undefined
  const equals = entry?.indexOf('=') ?? -1
  if (entry !== undefined && equals > 0) {
    draft.lastKey = entry.slice(0, equals)
    draft.metadata[draft.lastKey] = entry.slice(equals + 1)
    draft.blankLines = 0
  } else if (line === '') draft.blankLines++
  else if (draft.lastKey !== undefined) {
    draft.metadata[draft.lastKey] += `${'\n'.repeat(draft.blankLines + 1)}${line}`
    draft.blankLines = 0
  }
}

function recordOf({ urlText, lineNumber, fields, metadata }: Draft, timeZone: string | undefined): NutchRecord {
  const field = (name: string): string => {
    const text = fields.get(name)
    if (text === undefined) throw new CrawlError('LINE_INVALID', `${urlText} has no line "${name}"`)
    return text
  }
  try {
    const datum = datumOfRaw({
      statusCode: field('Status').split(' ')[0] ?? '',
      fetchTimeMs: parseJavaDate(field('Fetch time'), timeZone),
      modifiedTimeMs: parseJavaDate(field('Modified time'), timeZone),
      retries: field('Retries since fetch'),
      intervalS: intervalOf(field('Retry interval')),
      score: field('Score'),
      signature: field('Signature'),
      metadata,
    })
    return { urlText, datum, lineNumber }
  } catch (error) {
    throw atLine(lineNumber, error)
  }
}

function intervalOf(text: string): number {
  return Number(/^(\d+(?:\.\d+)?) seconds/.exec(text)?.[1] ?? Number.NaN)
}
