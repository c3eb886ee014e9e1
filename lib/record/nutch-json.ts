import { formatJavaDate, parseJavaDate } from './java-date.js'
import { formatJavaFloat } from './java-float.js'
import { numberField, objectField, textField, toHex, wrongField } from './json-fields.js'
import { parseJsonObject } from './line-format.js'
import { atLine, datumOfRaw, type NutchDumpReader, secondsOfDay } from './nutch-record.js'
import type { CrawlDatum } from './records.js'
import { statusCodes } from './status.js'

/** A record as `readdb -dump -format json` writes it, with its LF: one object a line, ASCII only.
 *  @param timeZone IANA name. @defaultValue UTC */
export function datumToNutchJson(datum: CrawlDatum, timeZone = 'UTC'): string {
  const json = JSON.stringify({
    url: datum.url,
    statusCode: statusCodes[datum.status],
    statusName: datum.status,
    fetchTime: formatJavaDate(datum.fetchTimeMs, timeZone),
    modifiedTime: formatJavaDate(datum.modifiedTimeMs, timeZone),
    retriesSinceFetch: datum.retries,
    retryIntervalSeconds: datum.fetchIntervalS,
    retryIntervalDays: Math.trunc(datum.fetchIntervalS / secondsOfDay),
    score: Number(formatJavaFloat(datum.score)),
    signature: datum.signature === undefined ? 'null' : toHex(datum.signature),
    metadata: datum.metadata,
  })
  return `${json.replace(/[\u007f-\uffff]/g, escapeUnit)}\n`
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Reads what `readdb -dump -format json` wrote.
 *  @param timeZone for zone names that stand for several offsets, such as CST */
export function nutchJsonReader(timeZone?: string): NutchDumpReader {
  return {
    take(line, lineNumber) {
      if (line.trim() === '') return undefined
      try {
        const json = parseJsonObject(line)
        const datum = datumOfRaw({
          statusCode: String(numberField(json, 'statusCode')),
          fetchTimeMs: parseJavaDate(textField(json, 'fetchTime'), timeZone),
          modifiedTimeMs: parseJavaDate(textField(json, 'modifiedTime'), timeZone),
          retries: String(numberField(json, 'retriesSinceFetch')),
          intervalS: numberField(json, 'retryIntervalSeconds'),
          score: String(json.score),
          signature: textField(json, 'signature'),
          metadata: metadataOf(objectField(json, 'metadata')),
        })
        return { urlText: textField(json, 'url'), datum, lineNumber }
      } catch (error) {
        throw atLine(lineNumber, error)
      }
    },
    end: () => undefined,
  }
}

/** Nutch keeps numbers as numbers; here all metadata is text. */
function metadataOf(json: Readonly<Record<string, unknown>>): Record<string, string> {
  const metadata: Record<string, string> = {}
  for (const [key, value] of Object.entries(json)) {
    if (typeof value === 'object' && value !== null) throw wrongField(`metadata.${key}`, 'a text or a number', value)
    metadata[key] = String(value)
  }
  return metadata
}
