import type { IndexConfig } from '../config/index-options.js'
import { toHex } from '../record/json-fields.js'
import { metadataKeys } from '../record/metadata.js'
import type { DbDatum, Parse } from '../record/records.js'
import { hostOf, registeredDomainOf } from '../url/hosts.js'

export type FieldValue = string | number | boolean | readonly string[]

/** A document for a search engine: fields by name, in a fixed order. `id` is the page's URL. */
export interface IndexDocument {
  readonly id: string
  readonly fields: Readonly<Record<string, FieldValue>>
}

/** What is known of a page when it is indexed: its parse, and CrawlDb and LinkDb as they are now. */
export interface IndexedPage {
  readonly parse: Parse
  readonly datum: DbDatum
  readonly segment: string
  /** Anchors of the page's inlinks, one for each distinct text of each source host. */
  readonly anchors: readonly string[]
  /** Of the scoring chain. */
  readonly boost: number
  readonly fetchTimeMs: number
  readonly modifiedTimeMs?: number
  readonly contentLengthBytes?: number
  readonly headers: Readonly<Record<string, string>>
}

/** Fields by the rules of Nutch's index-basic, -anchor, -more, -metadata and -static, and language-identifier. */
export function buildDocument(page: IndexedPage, config: IndexConfig): IndexDocument {
  const { parse, datum, segment, anchors, boost } = page
  const url = datum.metadata[metadataKeys.representative] ?? parse.url
  const host = hostOf(url)
  const fields: Record<string, FieldValue> = {
    id: parse.url,
    url,
    host,
    ...(config.addsDomain ? { domain: registeredDomainOf(host) } : {}),
    title: cut(parse.title, config.maxTitleChars),
    content: cut(parse.text, config.maxContentChars),
    ...(anchors.length === 0 ? {} : { anchor: anchors }),
    tstamp: new Date(page.fetchTimeMs).toISOString(),
    ...typeFields(page),
    digest: toHex(parse.signature),
    boost,
    segment,
    ...(parse.robots.noarchive ? { cache: 'all' } : {}),
  }
  addMetadata(fields, page, config)
  return { id: parse.url, fields }
}

/** Type as Nutch's index-more gives it (the media type and its two parts), length, language and date. */
function typeFields({ parse, contentLengthBytes, modifiedTimeMs, fetchTimeMs }: IndexedPage): Record<string, FieldValue> {
  const mediaType = parse.metadata[metadataKeys.contentType]
  const language = parse.metadata.language
  const dateMs = modifiedTimeMs ?? 0
  return {
    ...(mediaType === undefined ? {} : { type: [mediaType, ...mediaType.split('/')] }),
    ...(contentLengthBytes === undefined ? {} : { contentLength: contentLengthBytes }),
    ...(language === undefined || language === '' ? {} : { lang: language.toLowerCase() }),
    ...(dateMs > 0 ? { lastModified: new Date(dateMs).toISOString() } : {}),
    date: new Date(dateMs > 0 ? dateMs : fetchTimeMs).toISOString(),
  }
}

function addMetadata(fields: Record<string, FieldValue>, { parse, datum, headers }: IndexedPage, config: IndexConfig): void {
  for (const key of config.parseMetadataKeys) addIfSet(fields, key.replace(/^metatag\./, ''), parse.metadata[key])
  for (const key of config.dbMetadataKeys) addIfSet(fields, key, datum.metadata[key])
  for (const key of config.contentMetadataKeys) addIfSet(fields, key, headers[key.toLowerCase()])
  for (const text of config.staticFields) {
    const colon = text.indexOf(':')
    if (colon <= 0) continue
    const values = text
      .slice(colon + 1)
      .trim()
      .split(/\s+/)
    fields[text.slice(0, colon).trim()] = values.length === 1 ? (values[0] ?? '') : values
  }
}

function addIfSet(fields: Record<string, FieldValue>, name: string, value: string | undefined): void {
  if (value !== undefined && value !== '' && !Object.hasOwn(fields, name)) fields[name] = value
}

/** The text, cut at whole characters. */
function cut(text: string, maxChars: number): string {
  if (maxChars < 0 || text.length <= maxChars) return text
  const end = /[\ud800-\udbff]/.test(text[maxChars - 1] ?? '') ? maxChars - 1 : maxChars
  return text.slice(0, end)
}
