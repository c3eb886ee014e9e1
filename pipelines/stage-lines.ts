import { injectedDatum } from '../lib/crawldb/rules/inject-rule.js'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import { datumFromJson, isDbDatum } from '../lib/record/datum-json.js'
import type { FetchedPage, HttpExchange } from '../lib/record/exchange.js'
import { contentRefFromJson, fetchItemFromJson, outcomeFromJson, outcomeToJson } from '../lib/record/fetch-json.js'
import { objectField, optionalText, textField } from '../lib/record/json-fields.js'
import { formatLine, isJsonObject, parseLine } from '../lib/record/line-format.js'
import { linkToJson, parseFromJson, parseToJson } from '../lib/record/parse-json.js'
import type { ContentRef, DbDatum, FetchItem, FetchOutcome, Link, Parse } from '../lib/record/records.js'
import { parseSeedLine } from '../lib/record/seed-line.js'
import { storedUrl, type Url } from '../lib/record/url.js'
import type { Line } from '../lib/stream/split-lines.js'
import { queueIdOf } from '../lib/url/hosts.js'
import { shownUrl } from '../lib/url/shown-url.js'
import type { JobContext } from './job.js'

type Json = Readonly<Record<string, unknown>>

/** A line of a URL, a seed, a record or a fetch list as an item to fetch; undefined if it is blank.
 *  @throws {CrawlError} LINE_INVALID, URL_INVALID */
export function itemOfLine({ number, text, fault }: Line, context: JobContext, normalize: (raw: string) => Url | undefined): FetchItem | undefined {
  if (fault !== undefined) throw fault
  const seed = parseSeedLine(text)
  if (seed.kind === 'blank') return undefined
  const url = normalize(seed.urlText)
  if (url === undefined) throw new CrawlError('URL_INVALID', `no URL that can be crawled: ${shownUrl(seed.urlText)}`)
  if (seed.kind === 'record' && isJsonObject(seed.json.datum)) return fetchItemFromJson(url, seed.json)
  const { schedule, scoring, config, clock, log } = context
  if (seed.kind === 'seed') for (const reason of seed.problems) log.warn({ line: number, reason }, 'seed line')
  const given =
    seed.kind === 'seed' ? injectedDatum(url, seed.seed, { schedule, db: config.db, nowMs: clock.nowMs() }) : datumFromJson(url, seed.json)
  const datum: DbDatum = isDbDatum(given) ? given : scoring.injected({ ...given, status: 'db_unfetched' })
  return { url, datum, queueId: queueIdOf(url, config.fetch.queueMode === 'byDomain' ? 'byDomain' : 'byHost'), segment: '' }
}

/** A fetched page as it stands in a line: its outcome, and the answer with the body in base64 where no WARC file holds it. */
export function pageToLine({ outcome, exchanges }: FetchedPage): string {
  const answer = outcome.content === undefined ? exchanges.at(-1) : undefined
  return formatLine(outcome.url, { ...outcomeToJson(outcome), ...(answer === undefined ? {} : { answer: answerToJson(answer) }) })
}

/** Where the content of a page that a line tells of can be had. */
export interface PageLine {
  readonly outcome: FetchOutcome
  readonly answer?: { readonly url: string; readonly head: Uint8Array; readonly payload: Uint8Array; readonly isTruncated: boolean }
  readonly content?: ContentRef
}

/** @throws {CrawlError} LINE_INVALID if the line is no outcome */
export function pageOfLine(text: string): PageLine {
  const { key, value } = parseLine(text)
  const outcome = outcomeFromJson(storedUrl(key), value)
  return {
    outcome,
    ...(value.answer === undefined ? {} : { answer: answerFromJson(objectField(value, 'answer')) }),
    ...(value.content === undefined ? {} : { content: contentRefFromJson(objectField(value, 'content')) }),
  }
}

/** The outcome without its content: what `reduce updatedb` reads. */
export function outcomeToLine(outcome: FetchOutcome): string {
  const { content: _, ...rest } = outcome
  return formatLine(outcome.url, outcomeToJson(rest))
}

/** A parse in one line, its text included. */
export function parseToLine(parse: Parse): string {
  return formatLine(parse.url, { ...parseToJson(parse), text: parse.text })
}

export function parseOfLine(key: string, value: Json): Parse {
  return parseFromJson(storedUrl(key), value, optionalText(value, 'text') ?? '')
}

/** A link keyed by its target; of a redirect with the interval that the target is to have. */
export function linkToLine(link: Link, fetchIntervalS?: number): string {
  return formatLine(link.to, { ...linkToJson(link), ...(fetchIntervalS === undefined ? {} : { fetchIntervalS }) })
}

function answerToJson({ url, responseHead, payload, truncated }: HttpExchange): Json {
  return { url, head: base64(responseHead), payload: base64(payload), ...(truncated === undefined ? {} : { truncated }) }
}

function answerFromJson(json: Json): NonNullable<PageLine['answer']> {
  try {
    return {
      url: textField(json, 'url'),
      head: Buffer.from(textField(json, 'head'), 'base64'),
      payload: Buffer.from(textField(json, 'payload'), 'base64'),
      isTruncated: json.truncated !== undefined,
    }
  } catch (cause) {
    throw new CrawlError('LINE_INVALID', `answer: ${messageOf(cause)}`, { cause })
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
