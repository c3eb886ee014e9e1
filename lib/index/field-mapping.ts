import { CrawlError } from '../errors/crawl-error.js'
import { isJsonObject } from '../record/line-format.js'
import type { FieldValue, IndexDocument } from './document.js'

/** How fields are copied, renamed and removed for one target, in this order (Nutch's index-writers.xml). */
export interface FieldMapping {
  /** Source to targets. */
  readonly copy: Readonly<Record<string, readonly string[]>>
  readonly rename: Readonly<Record<string, string>>
  readonly remove: readonly string[]
}

/** Reads `{"copy": {"title": ["search"]}, "rename": {"content": "body"}, "remove": ["segment"]}`. `file` is for messages.
 *  @throws {CrawlError} CONFIG_INVALID */
export function parseFieldMapping(text: string, file: string): FieldMapping {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `${file} does not read as JSON`, { cause })
  }
  const wrong = (what: string): CrawlError => new CrawlError('CONFIG_INVALID', `${file}: ${what}`)
  if (!isJsonObject(value)) throw wrong('a JSON object is wanted')
  for (const key of Object.keys(value))
    if (!['copy', 'rename', 'remove'].includes(key)) throw wrong(`unknown key ${key}; copy, rename and remove are known`)
  return { copy: readCopies(value.copy, wrong), rename: readRenames(value.rename, wrong), remove: readNames(value.remove, wrong) }
}

type Wrong = (what: string) => CrawlError

function readCopies(value: unknown, wrong: Wrong): Record<string, readonly string[]> {
  if (value === undefined) return {}
  if (!isJsonObject(value)) throw wrong('copy: an object of field to fields is wanted')
  return Object.fromEntries(Object.entries(value).map(([from, to]) => [from, typeof to === 'string' ? [to] : readNames(to, wrong)]))
}

function readRenames(value: unknown, wrong: Wrong): Record<string, string> {
  if (value === undefined) return {}
  if (!isJsonObject(value)) throw wrong('rename: an object of field to field is wanted')
  return Object.fromEntries(
    Object.entries(value).map(([from, to]) => {
      if (typeof to !== 'string') throw wrong(`rename: ${from} wants a name`)
      return [from, to]
    }),
  )
}

function readNames(value: unknown, wrong: Wrong): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || !value.every(name => typeof name === 'string')) throw wrong('a list of names is wanted')
  return value
}

/** The document with the mapping applied. */
export function mapFields({ id, fields }: IndexDocument, { copy, rename, remove }: FieldMapping): IndexDocument {
  const mapped: Record<string, FieldValue> = { ...fields }
  for (const [from, targets] of Object.entries(copy)) {
    const value = fields[from]
    if (value !== undefined) for (const target of targets) mapped[target] = withValue(mapped, target, value)
  }
  for (const [from, to] of Object.entries(rename)) {
    const value = mapped[from]
    if (value === undefined) continue
    delete mapped[from]
    mapped[to] = withValue(mapped, to, value)
  }
  for (const name of remove) delete mapped[name]
  return { id, fields: mapped }
}

/** The value, behind those that the field has. */
function withValue(fields: Readonly<Record<string, FieldValue>>, name: string, value: FieldValue): FieldValue {
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (before === undefined) return value
  return [before, value].flatMap(one => (typeof one === 'object' ? one : [String(one)]))
}
