import { formatJavaDate, parseJavaDate } from './java-date.js'
import { formatJavaFloat } from './java-float.js'
import { toHex } from './json-fields.js'
import { atLine, datumOfRaw, type NutchDumpReader, type NutchRecord, secondsOfDay } from './nutch-record.js'
import type { CrawlDatum } from './records.js'
import { statusCodes } from './status.js'

/** First line of `readdb -dump -format csv`, without its LF. */
export const nutchCsvHeader =
  'Url,Status code,Status name,Fetch Time,Modified Time,Retries since fetch,Retry interval seconds,Retry interval days,Score,Signature,Metadata'

/** A record's row, with its LF. As Nutch writes it, but that quotes inside of a field are doubled (RFC 4180 §2.7).
 *  @param timeZone IANA name. @defaultValue UTC */
export function datumToNutchCsv(datum: CrawlDatum, timeZone = 'UTC'): string {
  let metadata = ''
  for (const [key, value] of Object.entries(datum.metadata)) metadata += `${key}:${value}|||`
  const fields = [
    quoted(datum.url),
    statusCodes[datum.status],
    quoted(datum.status),
    formatJavaDate(datum.fetchTimeMs, timeZone),
    formatJavaDate(datum.modifiedTimeMs, timeZone),
    datum.retries,
    formatJavaFloat(datum.fetchIntervalS),
    formatJavaFloat(Math.trunc(datum.fetchIntervalS / secondsOfDay)),
    formatJavaFloat(datum.score),
    quoted(datum.signature === undefined ? 'null' : toHex(datum.signature)),
    quoted(metadata),
  ]
  return `${fields.join(',')}\n`
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

const rowStart = /^"(.*?)",(\d{1,3}),"[a-z_]{1,40}",/
const rowRest = /^([^,"]{1,60}),([^,"]{1,60}),(\d{1,3}),([-\d.E]{1,20}),[-\d.E]{1,20},([-\w.]{1,20}),"([0-9a-f]*|null)","/

/** Reads what `readdb -dump -format csv` wrote, quotes doubled or not; a row may go over several lines.
 *  @param timeZone for zone names that stand for several offsets, such as CST */
export function nutchCsvReader(timeZone?: string): NutchDumpReader {
  let row: string | undefined
  let rowLine = 0
  const close = (): NutchRecord | undefined => {
    const done = row
    row = undefined
    return done === undefined ? undefined : recordOfRow(done, rowLine, timeZone)
  }
  return {
    take(line, lineNumber) {
      if (line === nutchCsvHeader) return undefined
      if (!rowStart.test(line)) {
        if (row !== undefined) row += `\n${line}`
        else if (line.trim() !== '') throw atLine(lineNumber, 'no row begins here')
        return undefined
      }
      try {
        return close()
      } finally {
        row = line
        rowLine = lineNumber
      }
    },
    end: close,
  }
}

function recordOfRow(row: string, lineNumber: number, timeZone: string | undefined): NutchRecord {
  const start = rowStart.exec(row)
  const rest = rowRest.exec(row.slice(start?.[0].length ?? 0))
  const end = row.lastIndexOf('"')
  const metadataStart = (start?.[0].length ?? 0) + (rest?.[0].length ?? 0)
  if (start === null || rest === null || end < metadataStart) throw atLine(lineNumber, 'not the eleven fields of a row')
  const [, fetchTime = '', modifiedTime = '', retries = '', interval = '', score = '', signature = ''] = rest
  try {
    const datum = datumOfRaw({
      statusCode: start[2] ?? '',
      fetchTimeMs: parseJavaDate(fetchTime, timeZone),
      modifiedTimeMs: parseJavaDate(modifiedTime, timeZone),
      retries,
      intervalS: Number(interval),
      score,
      signature,
      metadata: metadataOf(unquoted(row.slice(metadataStart, end))),
    })
    return { urlText: unquoted(start[1] ?? ''), datum, lineNumber }
  } catch (error) {
    throw atLine(lineNumber, error)
  }
}

/** Nutch does not double quotes; where all stand in pairs they are taken as doubled. */
function unquoted(text: string): string {
  return (text.match(/"+/g) ?? []).every(run => run.length % 2 === 0) ? text.replaceAll('""', '"') : text
}

/** A piece without a colon belongs to the value before it, which held the separator. */
function metadataOf(text: string): Record<string, string> {
  const metadata: Record<string, string> = {}
  let lastKey: string | undefined
  const pieces = text.split('|||')
  if (pieces.at(-1) === '') pieces.pop()
  for (const piece of pieces) {
    const colon = piece.indexOf(':')
    if (colon > 0) {
      lastKey = piece.slice(0, colon)
      metadata[lastKey] = piece.slice(colon + 1)
    } else if (lastKey !== undefined) metadata[lastKey] += `|||${piece}`
  }
  return metadata
}
