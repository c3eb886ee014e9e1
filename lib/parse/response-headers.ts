import { headerUrlText } from '../url/header-url.js'
import type { PageInput } from './page.js'

/** All values of a response header. @param name lower case */
export function headerValues(page: PageInput, name: string): string[] {
  return (page.headers ?? []).filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
}

/** One link of a Link header (RFC 8288). */
export interface HeaderLink {
  readonly reference: string
  /** Lower case. */
  readonly rels: readonly string[]
  readonly hreflang?: string
}

/** Longer headers are no Link headers of a page. */
const maxHeaderChars = 16_384

export function linkHeaders(page: PageInput): HeaderLink[] {
  return headerValues(page, 'link').flatMap(value => (value.length > maxHeaderChars ? [] : parseLinkHeader(value)))
}

function parseLinkHeader(value: string): HeaderLink[] {
  const links: HeaderLink[] = []
  for (let at = value.indexOf('<'); at >= 0; at = value.indexOf('<', at)) {
    const end = value.indexOf('>', at)
    if (end < 0) break
    const reference = headerUrlText(value.slice(at + 1, end))
    at = endOfParameters(value, end + 1)
    const parameters = value.slice(end + 1, at)
    const hreflang = parameterOf(parameters, 'hreflang')
    const rels = (parameterOf(parameters, 'rel') ?? '').toLowerCase().split(/\s+/)
    links.push({ reference, rels, ...(hreflang === undefined ? {} : { hreflang }) })
  }
  return links
}

/** The comma that ends a link, outside quotes. */
function endOfParameters(value: string, from: number): number {
  let isQuoted = false
  for (let at = from; at < value.length; at++) {
    const character = value[at]
    if (character === '"') isQuoted = !isQuoted
    else if (character === ',' && !isQuoted) return at
  }
  return value.length
}

function parameterOf(parameters: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;,"]+))`, 'i').exec(parameters)
  return match?.[1] ?? match?.[2]
}
