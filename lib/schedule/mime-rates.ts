import { type RuleText, readRuleLines } from './rule-lines.js'

/** How fast the interval follows what a page does. */
export interface AdaptiveRates {
  readonly incRate: number
  readonly decRate: number
}

export interface MimeRates {
  /** Rates for a Content-Type, whose parameters do not count; undefined if the table has none. */
  ratesOf(contentType: string | undefined): AdaptiveRates | undefined
}

/** What Nutch ships in adaptive-mimetypes.txt. */
export const shippedMimeRates: RuleText = {
  name: 'shipped MIME rates',
  text: 'text/html\t0.2\t0.2\napplication/xhtml+xml\t0.2\t0.2\napplication/pdf\t0.1\t0.4\n',
}

type MimeRule = AdaptiveRates & { readonly mime: string }

/** Reads `mime TAB inc TAB dec` a line.
 *  @throws {CrawlError} CONFIG_INVALID for a line without three parts, an inc below 0 or a dec outside of 0…1 */
export function createMimeRates(file: RuleText = shippedMimeRates): MimeRates {
  const table = new Map<string, AdaptiveRates>()
  for (const rule of readRuleLines(file, readMimeRule)) table.set(rule.mime, rule)
  return { ratesOf: contentType => (contentType === undefined ? undefined : table.get(mimeOf(contentType))) }
}

function readMimeRule(line: string): MimeRule | string {
  const [mime, inc, dec, ...more] = line.split(/\s+/)
  if (mime === undefined || inc === undefined || dec === undefined || more.length > 0) return 'want MIME type, inc and dec rate'
  const incRate = Number(inc)
  const decRate = Number(dec)
  if (!(incRate >= 0 && incRate < Number.POSITIVE_INFINITY)) return `inc rate ${inc} of ${mime} is no number from 0 on`
  if (!(decRate >= 0 && decRate <= 1)) return `dec rate ${dec} of ${mime} is no number from 0 to 1`
  return { mime: mimeOf(mime), incRate, decRate }
}

function mimeOf(contentType: string): string {
  const end = contentType.indexOf(';')
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}
