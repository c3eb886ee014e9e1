import { CrawlError } from '../errors/crawl-error.js'
import type { WarcField } from './warc-header.js'

/** The head of a WARC record as it was read. */
export interface WarcHead {
  /** `WARC/1.0`, `WARC/1.1`, … */
  readonly version: string
  readonly fields: readonly WarcField[]
}

/** First value of a WARC field, names compared without case. */
export function warcField(head: WarcHead, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return head.fields.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1]
}

/**
 * Reads a record's head, given without the empty line that ends it. Bytes are UTF-8 (WARC/1.1 §4); folded lines are joined; lines without
 * a colon are passed over, as other readers do. A URI in angle brackets (wget) is given without them.
 * @throws {CrawlError} WARC_INVALID if the first line is no version
 */
export function parseWarcHead(text: string): WarcHead {
  const [version = '', ...lines] = text.split(/\r?\n/)
  if (!/^WARC\/\d+\.\d+\s*$/.test(version)) {
    const seen = JSON.stringify(version.slice(0, 40))
    throw new CrawlError('WARC_INVALID', `no WARC record begins here: ${seen}`)
  }
  const fields: [string, string][] = []
  for (const line of lines) {
    const previous = fields.at(-1)
    if (/^[ \t]/.test(line) && previous !== undefined) {
      previous[1] = `${previous[1]} ${line.trim()}`.trim()
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const name = line.slice(0, colon).trim()
    const value = line.slice(colon + 1).trim()
    fields.push([name, /^warc-(?:target|refers-to-target)-uri$/i.test(name) ? value.replace(/^<(.*)>$/, '$1') : value])
  }
  return { version: version.trim(), fields }
}

/** Content-Length. @throws {CrawlError} WARC_INVALID if it is missing or no count of bytes */
export function blockLengthOf(head: WarcHead): number {
  const value = warcField(head, 'content-length')
  if (value === undefined) throw new CrawlError('WARC_INVALID', 'a record without Content-Length')
  if (!/^\d{1,15}$/.test(value)) throw new CrawlError('WARC_INVALID', `Content-Length is no number of bytes: ${JSON.stringify(value.slice(0, 40))}`)
  return Number(value)
}

/** Whether the block of a record is an HTTP message: of these types, with that media type or, where none is named, of an HTTP URL. */
export function holdsHttp(head: WarcHead): boolean {
  if (!/^(?:response|request|revisit)$/.test(warcField(head, 'warc-type') ?? '')) return false
  const contentType = warcField(head, 'content-type')
  return contentType === undefined
    ? /^https?:/i.test(warcField(head, 'warc-target-uri') ?? '')
    : /^(?:application|message)\/http\b/i.test(contentType)
}

/** Whether the block of a record is a part of one that was too long for its file. */
export function isSegment(head: WarcHead): boolean {
  return warcField(head, 'warc-segment-number') !== undefined
}

/** WARC-Date, epoch ms; undefined if it is missing or no date. ARC's 14 digits are read too. */
export function captureTimeMs(head: WarcHead): number | undefined {
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/
  const timeMs = Date.parse((warcField(head, 'warc-date') ?? '').replace(digits, '$1-$2-$3T$4:$5:$6Z'))
  return Number.isNaN(timeMs) ? undefined : timeMs
}
