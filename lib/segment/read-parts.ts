import { CrawlError, messageOf } from '../errors/crawl-error.js'
import { fetchItemFromJson, outcomeFromJson } from '../record/fetch-json.js'
import { hexField, metadataField, numberField, optionalText, textField, wrongField } from '../record/json-fields.js'
import { parseJsonObject } from '../record/line-format.js'
import type { Metadata } from '../record/metadata.js'
import { linkFromJson, parseFromJson } from '../record/parse-json.js'
import type { FetchItem, FetchOutcome, Link, Parse } from '../record/records.js'
import { storedUrl, type Url } from '../record/url.js'
import { eachLine, type ReadLinesOptions, readLineBatches } from './read-lines.js'

type Json = Readonly<Record<string, unknown>>

/** The commit of one page's parse: what updatedb reads of the page itself. */
export interface ParsedPage {
  readonly url: Url
  /** `signature` of a success, `parse_failed`, or `parse_metadata` of a page that was passed over (truncated, type not parsed). */
  readonly status: 'signature' | 'parse_failed' | 'parse_metadata'
  readonly signature: Uint8Array
  readonly metadata: Metadata
  /** Link lines of this page, which stand before this line. */
  readonly outlinks: number
  /** Lengths of parse_data and parse_text when this page was committed. */
  readonly dataEndBytes: number
  readonly textEndBytes: number
  readonly cause?: string
}

/** The text of a page. */
export interface ParsedText {
  readonly url: Url
  readonly text: string
}

export type CrawlParseRecord = { readonly kind: 'link'; readonly link: Link } | { readonly kind: 'page'; readonly page: ParsedPage }

export function readFetchItems(path: string, options?: ReadLinesOptions): AsyncGenerator<readonly FetchItem[]> {
  return readRecords(path, fetchItemFromJson, options)
}

export function readFetchOutcomes(path: string, options?: ReadLinesOptions): AsyncGenerator<readonly FetchOutcome[]> {
  return readRecords(path, outcomeFromJson, options)
}

export function readParses(path: string, options?: ReadLinesOptions): AsyncGenerator<readonly Parse[]> {
  return readRecords(path, (url, json) => parseFromJson(url, json), options)
}

export function readParseTexts(path: string, options?: ReadLinesOptions): AsyncGenerator<readonly ParsedText[]> {
  return readRecords(path, (url, json) => ({ url, text: textField(json, 'text') }), options)
}

/** Links and pages; links behind the last page are those of a write that was cut off, and are left out. */
export async function* readCrawlParseRecords(path: string, options?: ReadLinesOptions): AsyncGenerator<readonly CrawlParseRecord[]> {
  let open: CrawlParseRecord[] = []
  for await (const batch of readRecords(path, crawlParseFromJson, options)) {
    const records = open.length === 0 ? batch : [...open, ...batch]
    const whole = records.findLastIndex(record => record.kind === 'page') + 1
    open = records.slice(whole)
    if (whole > 0) yield whole === records.length ? records : records.slice(0, whole)
  }
}

function crawlParseFromJson(key: Url, json: Json): CrawlParseRecord {
  return json.status === 'linked' ? { kind: 'link', link: linkFromJson(key, json) } : { kind: 'page', page: parsedPageFromJson(key, json) }
}

/** @throws {CrawlError} LINE_INVALID */
export function parsedPageFromJson(url: Url, json: Json): ParsedPage {
  const status = textField(json, 'status')
  if (status !== 'signature' && status !== 'parse_failed' && status !== 'parse_metadata') throw wrongField('status', 'that of a page', status)
  const cause = optionalText(json, 'cause')
  return {
    url,
    status,
    signature: hexField(json, 'signature') ?? new Uint8Array(),
    metadata: metadataField(json),
    outlinks: numberField(json, 'outlinks'),
    dataEndBytes: numberField(json, 'dataEndBytes'),
    textEndBytes: numberField(json, 'textEndBytes'),
    ...(cause === undefined ? {} : { cause }),
  }
}

/** Decodes each line of a part. @throws {CrawlError} SEGMENT_CORRUPT naming file, byte and reason */
export async function* readRecords<T>(path: string, decode: (url: Url, json: Json) => T, options?: ReadLinesOptions): AsyncGenerator<readonly T[]> {
  for await (const { text, offsetBytes } of readLineBatches(path, options)) {
    const records: T[] = []
    let charsBefore = 0
    eachLine(text, line => {
      try {
        const tab = line.indexOf('\t')
        if (tab <= 0) throw new CrawlError('LINE_INVALID', 'no key before a tab')
        records.push(decode(storedUrl(line.slice(0, tab)), parseJsonObject(line.slice(tab + 1))))
      } catch (cause) {
        const at = offsetBytes + Buffer.byteLength(text.slice(0, charsBefore))
        throw new CrawlError('SEGMENT_CORRUPT', `${path}: line at byte ${at}: ${messageOf(cause)}`, { cause })
      }
      charsBefore += line.length + 1
    })
    yield records
  }
}
