import { hexField, metadataField, numberField, objectField, optionalNumber, optionalText, textField, toHex, wrongField } from './json-fields.js'
import { isJsonObject } from './line-format.js'
import type { Link, Outlink, Parse, RobotsDirectives } from './records.js'
import { storedUrl, type Url } from './url.js'

type Json = Readonly<Record<string, unknown>>

/** The JSON part of a Parse's line: all but the text, which parse_text holds. */
export function parseToJson(parse: Parse): Record<string, unknown> {
  return {
    status: parse.status,
    title: parse.title,
    cause: parse.cause,
    robots: parse.robots,
    signature: toHex(parse.signature),
    metadata: parse.metadata,
    outlinks: parse.outlinks,
  }
}

/** A Parse without its text. @throws {CrawlError} LINE_INVALID */
export function parseFromJson(url: Url, json: Json, text = ''): Parse {
  const status = textField(json, 'status')
  if (status !== 'success' && status !== 'failed' && status !== 'notparsed') throw wrongField('status', 'a parse status', status)
  const cause = optionalText(json, 'cause')
  const outlinks = json.outlinks
  if (!Array.isArray(outlinks)) throw wrongField('outlinks', 'a list', outlinks)
  return {
    url,
    status,
    title: textField(json, 'title'),
    text,
    outlinks: outlinks.map(outlinkFromJson),
    metadata: metadataField(json),
    robots: robotsFromJson(objectField(json, 'robots')),
    signature: hexField(json, 'signature') ?? new Uint8Array(),
    ...(cause === undefined ? {} : { cause }),
  }
}

function outlinkFromJson(link: unknown): Outlink {
  if (!isJsonObject(link)) throw wrongField('outlinks', 'a list of objects', link)
  return {
    url: storedUrl(textField(link, 'url')),
    anchor: textField(link, 'anchor'),
    rel: textField(link, 'rel'),
    element: textField(link, 'element'),
  }
}

function robotsFromJson(json: Json): RobotsDirectives {
  const unavailableAfterMs = optionalNumber(json, 'unavailableAfterMs')
  return {
    noindex: json.noindex === true,
    nofollow: json.nofollow === true,
    noarchive: json.noarchive === true,
    ...(unavailableAfterMs === undefined ? {} : { unavailableAfterMs }),
  }
}

/** The JSON part of a Link's line, keyed by its target: status `linked`, from, score, and anchor and metadata where there are any. */
export function linkToJson(link: Link): Record<string, unknown> {
  const json: Record<string, unknown> = { status: 'linked', from: link.from, score: link.score }
  if (link.anchor !== '') json.anchor = link.anchor
  for (const _ in link.metadata) {
    json.metadata = link.metadata
    break
  }
  return json
}

/** @throws {CrawlError} LINE_INVALID */
export function linkFromJson(to: Url, json: Json): Link {
  return {
    from: storedUrl(textField(json, 'from')),
    to,
    anchor: optionalText(json, 'anchor') ?? '',
    score: numberField(json, 'score'),
    metadata: metadataField(json),
  }
}
