import { CrawlError } from '../errors/crawl-error.js'

/** One line of the format `URL TAB JSON LF`, read. */
export interface KeyedLine {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Writes a record's line, with its LF. `value`'s keys stand in the order given. */
export function formatLine(key: string, value: object): string {
  return `${key}\t${JSON.stringify(value)}\n`
}

/** Splits a line (without its LF) at the first tab and reads the JSON object behind it.
 *  @throws {CrawlError} LINE_INVALID if there is no key, no tab or no JSON object */
export function parseLine(line: string): KeyedLine {
  const tab = line.indexOf('\t')
  if (tab <= 0) throw new CrawlError('LINE_INVALID', 'no key before a tab')
  return { key: line.slice(0, tab), value: parseJsonObject(line.slice(tab + 1)) }
}

/** @throws {CrawlError} LINE_INVALID */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new CrawlError('LINE_INVALID', 'what stands after the tab is no JSON', { cause })
  }
  if (!isJsonObject(value)) throw new CrawlError('LINE_INVALID', 'what stands after the tab is no JSON object')
  return value
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
