import type { IndexConfig } from '../config/index-options.js'
import { toHex } from '../record/json-fields.js'
import { isJsonObject } from '../record/line-format.js'
import { metadataKeys } from '../record/metadata.js'
import type { DbDatum, Parse } from '../record/records.js'
import { hostOf, registeredDomainOf } from '../url/hosts.js'

/** What a field of a document holds: several values are a list of texts. */
export type FieldValue = string | number | boolean | readonly string[]
export type Fields = Readonly<Record<string, FieldValue>>

/** A document for a search engine: fields by name, in a fixed order. `id` is the page's URL. */
export interface IndexDocument {
  readonly id: string
  readonly fields: Fields
}

/** Whether a value that a plugin gave is a document. */
export function isIndexDocument(value: unknown): value is IndexDocument {
  return isJsonObject(value) && typeof value.id === 'string' && isJsonObject(value.fields) && Object.values(value.fields).every(isFieldValue)
}

function isFieldValue(value: unknown): value is FieldValue {
  return ['string', 'number', 'boolean'].includes(typeof value) || (Array.isArray(value) && value.every(one => typeof one === 'string'))
}

/** What is known of a page when it is indexed: its parse, and CrawlDb and LinkDb as they are now. */
export interface IndexedPage {
  /** The page's URL, or what the normalizers of scope indexer make of it. */
  readonly id: string
  readonly parse: Parse
  readonly datum: DbDatum
  readonly segment: string
  /** Anchors of the page's inlinks, one for each distinct text of each source host. */
  readonly anchors: readonly string[]
  /** Of the scoring chain. */
  readonly boost: number
  readonly fetchTimeMs: number
  /** As the server gave it. */
  readonly modifiedTimeMs?: number
  readonly contentLengthBytes?: number
  /** Names in lower case; read only where an option asks for some. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** The body in base64, where it is asked for. */
  readonly binaryContent?: string
}

/** Fields by the rules of Nutch's index-basic, -anchor, -more, -metadata and -static, and language-identifier. */
export function buildDocument(page: IndexedPage, config: IndexConfig): IndexDocument {
  const { id, parse, datum, segment, boost } = page
  const url = datum.metadata[metadataKeys.representative] ?? id
  const host = hostOf(url)
  const title = cut(clean(parse.title), config.maxTitleChars)
  const fields: Record<string, FieldValue> = {
    id,
    url,
    host,
    ...(config.addsDomain ? { domain: registeredDomainOf(host) } : {}),
    ...(title === '' ? {} : { title }),
    content: cut(clean(parse.text), config.maxContentChars),
    ...anchorField(page, config),
    tstamp: new Date(page.fetchTimeMs).toISOString(),
    ...typeFields(page, config),
    digest: toHex(parse.signature),
    boost,
    segment,
    ...(parse.robots.noarchive ? { cache: 'all' } : {}),
    ...(page.binaryContent === undefined ? {} : { binaryContent: page.binaryContent }),
  }
  addMetadata(fields, page, config)
  addStaticFields(fields, config)
  return { id, fields }
}

function anchorField({ anchors }: IndexedPage, config: IndexConfig): Fields {
  if (anchors.length === 0) return {}
  if (!config.deduplicatesAnchors) return { anchor: anchors }
  const seen = new Set<string>()
  const isNew = (anchor: string): boolean => !seen.has(anchor.toLowerCase()) && seen.add(anchor.toLowerCase()) !== undefined
  return { anchor: anchors.filter(isNew) }
}

/** Type as Nutch's index-more gives it (the media type and its two parts), length, language and date. */
function typeFields({ parse, contentLengthBytes, modifiedTimeMs = 0, fetchTimeMs }: IndexedPage, config: IndexConfig): Fields {
  const mediaType = parse.metadata[metadataKeys.contentType]
  const language = languageCode(parse.metadata.language ?? '')
  return {
    ...(mediaType === undefined ? {} : { type: config.addsTypeParts ? [mediaType, ...mediaType.split('/')] : mediaType }),
    ...(contentLengthBytes === undefined ? {} : { contentLength: contentLengthBytes }),
    ...(language === undefined ? {} : { lang: language }),
    ...(modifiedTimeMs > 0 ? { lastModified: new Date(modifiedTimeMs).toISOString() } : {}),
    date: new Date(modifiedTimeMs > 0 ? modifiedTimeMs : fetchTimeMs).toISOString(),
  }
}

/** The language alone of what a page declares: `en` of `en-GB`, of `en_US` and of `en, de`. */
function languageCode(declared: string): string | undefined {
  return /^\s*([a-z]{2,3})(?![a-z])/i.exec(declared)?.[1]?.toLowerCase()
}

function addMetadata(fields: Record<string, FieldValue>, { parse, datum, headers }: IndexedPage, config: IndexConfig): void {
  for (const key of config.dbMetadataKeys) addField(fields, key, linesOf(own(datum.metadata, key)))
  for (const key of config.parseMetadataKeys) addField(fields, key, linesOf(own(parse.metadata, key)))
  for (const key of config.contentMetadataKeys) addField(fields, key, own(headers, key.toLowerCase()) ?? [])
}

/** Names come from an operator: what every object has is none of them. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Several values of one key stand in lines. */
function linesOf(value: string | undefined): string[] {
  return value === undefined ? [] : value.split('\n').filter(line => line !== '')
}

function addStaticFields(fields: Record<string, FieldValue>, { staticFields }: IndexConfig): void {
  for (const text of staticFields) {
    const colon = text.indexOf(':')
    if (colon > 0)
      addField(
        fields,
        text.slice(0, colon).trim(),
        text
          .slice(colon + 1)
          .split(/\s+/)
          .filter(value => value !== ''),
      )
  }
}

/** Adds values to what a field has (Nutch's NutchDocument.add). */
function addField(fields: Record<string, FieldValue>, name: string, values: readonly string[]): void {
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined
  const all = [...(before === undefined ? [] : typeof before === 'object' ? before : [String(before)]), ...values]
  const [first] = all
  if (values.length > 0 && first !== undefined) fields[name] = all.length === 1 ? first : all
}

/** Without the marks of characters that could not be decoded (Nutch's StringUtil.cleanField). */
function clean(text: string): string {
  return text.replaceAll('\ufffd', '')
}

/** The text, cut at whole characters. */
function cut(text: string, maxChars: number): string {
  if (maxChars < 0 || text.length <= maxChars) return text
  const end = /[\ud800-\udbff]/.test(text[maxChars - 1] ?? '') ? maxChars - 1 : maxChars
  return text.slice(0, end)
}
