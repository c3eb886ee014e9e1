import { toHex } from '../record/json-fields.js'
import { formatLine } from '../record/line-format.js'
import { noMetadata } from '../record/metadata.js'
import { linkToJson, parseToJson } from '../record/parse-json.js'
import type { Link, Parse } from '../record/records.js'
import type { ParsedPage } from './read-parts.js'

/** The lines of one page's parse, ready to be appended. */
export interface EncodedParse {
  readonly url: string
  /** The line of parse_data. */
  readonly data: Uint8Array
  /** The line of parse_text; empty if texts are not stored. */
  readonly text: Uint8Array
  /** Link lines, then the page's own line up to where the lengths of the other parts belong: the writer ends it. */
  readonly crawl: Uint8Array
}

export interface EncodeParseOptions {
  /** Nutch: parser.store.text. @defaultValue true */
  readonly storesText?: boolean
}

/** Writes the lines of one parse and of the links it gives (those that passed the outlink rules). Synchronous and without I/O. */
export function encodeParse(parse: Parse, links: readonly Link[], { storesText = true }: EncodeParseOptions = {}): EncodedParse {
  let crawl = linkLines(links)
  const page = {
    status: pageStatus(parse.status),
    signature: toHex(parse.signature),
    metadata: parse.metadata,
    outlinks: links.length,
    cause: parse.cause,
  }
  crawl += `${parse.url}\t${JSON.stringify(page).slice(0, -1)}`
  return {
    url: parse.url,
    data: Buffer.from(formatLine(parse.url, parseToJson(parse))),
    text: storesText ? Buffer.from(formatLine(parse.url, { text: parse.text })) : new Uint8Array(),
    crawl: Buffer.from(crawl),
  }
}

/** What nearly all links of a page have in common is written once. */
function linkLines(links: readonly Link[]): string {
  let lines = ''
  let from: string | undefined
  let lead = ''
  for (const link of links) {
    if (link.from !== from) {
      from = link.from
      lead = `{"status":"linked","from":${JSON.stringify(from)},"score":`
    }
    if (link.metadata === noMetadata) lines += `${link.to}\t${lead}${link.score}}\n`
    else lines += `${link.to}\t${JSON.stringify(linkToJson({ ...link, anchor: '' }))}\n`
  }
  return lines
}

/** What ends the page's line. */
export function commitTail(dataEndBytes: number, textEndBytes: number): string {
  return `,"dataEndBytes":${dataEndBytes},"textEndBytes":${textEndBytes}}\n`
}

function pageStatus(status: Parse['status']): ParsedPage['status'] {
  if (status === 'success') return 'signature'
  return status === 'failed' ? 'parse_failed' : 'parse_metadata'
}
