import { datumToJson } from '../lib/record/datum-json.js'
import { fetchItemToJson, outcomeToJson } from '../lib/record/fetch-json.js'
import { formatLine } from '../lib/record/line-format.js'
import { datumToNutchText } from '../lib/record/nutch-text.js'
import { parseToJson } from '../lib/record/parse-json.js'
import { contentToNutchText, linkDatum, outcomeDatum, pageDatum, parseDataToNutchText } from '../lib/segment/nutch-segment-text.js'
import { fieldValue } from '../lib/warc/http-head.js'
import type { StoredContent } from '../lib/warc/stored-content.js'
import { contentText, type SegmentRecords } from './segment-records.js'

export interface SegmentFormOptions {
  /** Zone of times in text. */
  readonly timeZone: string
  /** Whether content is shown in its own charset, not as UTF-8 (Nutch: -recode). */
  readonly isRecoded: boolean
  /** Charset of content that names none. */
  readonly defaultCharset: string
}

/** One record of `readseg -dump` as Nutch's SegmentReader prints it, without the empty line before `Recno` of all but the first. */
export function recordsToNutchDump(records: SegmentRecords, recordNumber: number, options: SegmentFormOptions): string {
  const blocks: string[] = []
  const add = (title: string, text: string): void => void blocks.push(`\n${title}::\n${text}`)
  for (const item of records.generated) add('CrawlDatum', datumToNutchText(item.datum, options.timeZone))
  for (const outcome of records.fetched) add('CrawlDatum', datumToNutchText(outcomeDatum(outcome), options.timeZone))
  for (const datum of crawlParseOf(records)) add('CrawlDatum', datumToNutchText(datum, options.timeZone))
  if (records.content !== undefined) add('Content', contentForm(records.content, options))
  for (const parse of records.parses) add('ParseData', parseDataToNutchText(parse))
  for (const text of records.texts) add('ParseText', text)
  return `Recno:: ${recordNumber}\nURL:: ${records.url}\n${blocks.join('')}\n`
}

/** What `readseg -get` prints of one URL, in Nutch's order. */
export function recordsToNutchGet(records: SegmentRecords, options: SegmentFormOptions): string {
  let out = ''
  const add = (title: string, text: string): void => {
    out += `${title}::\n${text}\n`
  }
  if (records.content !== undefined) add('Content', contentForm(records.content, options))
  for (const item of records.generated) add('Crawl Generate', datumToNutchText(item.datum, options.timeZone))
  for (const outcome of records.fetched) add('Crawl Fetch', datumToNutchText(outcomeDatum(outcome), options.timeZone))
  for (const datum of crawlParseOf(records)) add('Crawl Parse', datumToNutchText(datum, options.timeZone))
  for (const parse of records.parses) add('ParseData', parseDataToNutchText(parse))
  for (const text of records.texts) add('ParseText', text)
  return out
}

/** The same as a line: URL, then each part that is there by its name. */
export function recordsToLine(records: SegmentRecords, segment: string, options: SegmentFormOptions): string {
  const { url, generated, fetched, content, links, pages, parses, texts } = records
  const json: Record<string, unknown> = { segment }
  if (generated[0] !== undefined) json.crawl_generate = fetchItemToJson(generated[0])
  if (fetched[0] !== undefined) json.crawl_fetch = outcomeToJson(fetched[0])
  if (content !== undefined) json.content = contentJson(content, options)
  if (pages.length + links.length > 0) json.crawl_parse = crawlParseOf(records).map(datumToJson)
  if (parses[0] !== undefined) json.parse_data = parseToJson(parses[0])
  if (texts[0] !== undefined) json.parse_text = texts[0]
  return formatLine(url, json)
}

function crawlParseOf({ links, pages }: SegmentRecords) {
  return [...links.map(link => linkDatum(link)), ...pages.map(page => pageDatum(page))]
}

function contentForm(content: StoredContent, { isRecoded, defaultCharset }: SegmentFormOptions): string {
  const contentType = fieldValue(content.fields, 'content-type') ?? ''
  return contentToNutchText({ url: content.url, contentType, fields: content.fields, text: contentText(content, isRecoded, defaultCharset) })
}

function contentJson(content: StoredContent, { isRecoded, defaultCharset }: SegmentFormOptions): object {
  return {
    type: content.type,
    dateMs: content.dateMs,
    httpStatus: content.httpStatus,
    fields: content.fields,
    truncated: content.truncated,
    bytes: content.payload.length,
    text: contentText(content, isRecoded, defaultCharset),
  }
}
