import type { PageUpdates, ParseUpdate } from '../lib/crawldb/rules/page-updates.js'
import { outcomeFromJson } from '../lib/record/fetch-json.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import { noMetadata } from '../lib/record/metadata.js'
import { linkFromJson } from '../lib/record/parse-json.js'
import type { FetchOutcome } from '../lib/record/records.js'
import { storedUrl, type Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import type { LinkContribution } from '../lib/score/scoring-filter.js'
import { parsedPageFromJson } from '../lib/segment/read-parts.js'
import type { Update } from '../lib/store/sorted-updates.js'

/*
 * What updatedb sorts: the JSON of a segment's lines as they stand, with one letter before them. `F` segment, space, an outcome; `P` segment,
 * space, the page line of crawl_parse; a link line as it stands; `R` interval, space, a link line that a redirect stands for; `U` segment, an item of
 * the fetch list, whose lock ends with its segment.
 */

const linkedStart = '{"status":"linked"'

/** Whether a line of crawl_parse is a link, keyed by its target, and not a page's own. */
export function isLinkLine(json: string): boolean {
  return json.startsWith(linkedStart)
}

/** A line of crawl_parse as an update. */
export function crawlParseUpdate(segment: string, url: string, json: string): Update {
  const payload = isLinkLine(json) ? json : `P${segment} ${json}`
  return { key: keyOfUrl(storedUrl(url)), payload }
}

/** A line of crawl_fetch as an update. */
export function outcomeUpdate(segment: string, url: string, json: string): Update {
  return { key: keyOfUrl(storedUrl(url)), payload: `F${segment} ${json}` }
}

/** The target of a redirect as a link that hands on the source's interval (Nutch's FetcherThread). */
export function redirectUpdate(target: Url, link: object, fetchIntervalS: number): Update {
  return { key: keyOfUrl(target), payload: `R${fetchIntervalS} ${JSON.stringify(link)}` }
}

/** An item of a fetch list: its lock is taken away, fetched or not. */
export function listedUpdate(segment: string, url: string): Update {
  return { key: keyOfUrl(storedUrl(url)), payload: `U${segment}` }
}

export interface KeyUpdates extends PageUpdates {
  /** Segments that had the URL in their list. */
  readonly listedIn: readonly string[]
}

const nowhere: readonly string[] = []

/** All payloads of one key, read. Of several fetches the newest counts, with the parse of its segment. @param url of the key, where it is known */
export function readPayloads(key: string, payloads: readonly string[], url: Url = urlOfKey(key)): KeyUpdates {
  const [first] = payloads
  if (first !== undefined && payloads.length === 1 && isLink(first)) return { url, links: [linkOf(url, first)], listedIn: nowhere } // as most are
  const links = payloads.filter(isLink).map(payload => linkOf(url, payload))
  return links.length === payloads.length ? { url, links, listedIn: nowhere } : withOthers(url, links, payloads)
}

function isLink(payload: string): boolean {
  return payload[0] === '{' || payload[0] === 'R'
}

function linkOf(url: Url, payload: string): LinkContribution {
  if (payload[0] === '{') return plainLink(payload) ?? linkFromJson(url, parseJsonObject(payload))
  const [interval, json] = cutAtSpace(payload)
  return { ...linkFromJson(url, parseJsonObject(json)), fetchIntervalS: Number(interval) }
}

/** With what the payloads that are no links say. */
function withOthers(url: Url, links: readonly LinkContribution[], payloads: readonly string[]): KeyUpdates {
  const parses = new Map<string, ParseUpdate>()
  const listedIn: string[] = []
  let newest: { readonly segment: string; readonly fetch: FetchOutcome } | undefined
  for (const payload of payloads) {
    if (isLink(payload)) continue
    if (payload[0] === 'U') {
      listedIn.push(payload.slice(1))
      continue
    }
    const [segment, json] = cutAtSpace(payload)
    if (payload[0] === 'P') parses.set(segment, parseUpdateOf(url, json))
    else {
      const fetch = outcomeFromJson(url, parseJsonObject(json))
      if (newest === undefined || fetch.timing.endMs >= newest.fetch.timing.endMs) newest = { segment, fetch }
    }
  }
  const parse = newest === undefined ? lastOf(parses) : parses.get(newest.segment)
  return { url, links, listedIn, ...(newest ?? {}), ...(parse === undefined ? {} : { parse }) }
}

const plainStart = `${linkedStart},"from":"`
const plainMiddle = '","score":'

/** A link line that holds nothing but source and score, which nearly all do, read without a JSON parser; undefined for any other. */
function plainLink(payload: string): LinkContribution | undefined {
  if (!payload.startsWith(plainStart)) return undefined
  const end = payload.indexOf('"', plainStart.length)
  if (!payload.startsWith(plainMiddle, end) || !payload.endsWith('}')) return undefined
  const from = payload.slice(plainStart.length, end)
  const score = Number(payload.slice(end + plainMiddle.length, -1))
  return Number.isFinite(score) && !from.includes('\\') ? { from: storedUrl(from), score, metadata: noMetadata } : undefined
}

function parseUpdateOf(url: Url, json: string): ParseUpdate {
  const { status, signature, metadata } = parsedPageFromJson(url, parseJsonObject(json))
  return {
    status: status === 'parse_failed' ? 'parse_failed' : 'signature',
    ...(signature.length > 0 ? { signature } : {}),
    metadata,
  }
}

function cutAtSpace(payload: string): [before: string, after: string] {
  const space = payload.indexOf(' ')
  return [payload.slice(1, space), payload.slice(space + 1)]
}

function lastOf<T>(map: ReadonlyMap<string, T>): T | undefined {
  return [...map.values()].at(-1)
}
