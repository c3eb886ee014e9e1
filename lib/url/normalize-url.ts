import { CrawlError } from '../errors/crawl-error.js'
import type { Url } from '../record/url.js'
import { canonicalEscapes } from './escapes.js'
import { canonicalHost, type HostOptions } from './host-name.js'
import { type HostUrl, parseHostUrl } from './parse-host-url.js'
import { canonicalPath } from './path.js'
import { shownUrl } from './shown-url.js'
import { hostPart, isSpecialScheme, splitUrl, stripIgnored, type UrlParts } from './split-url.js'

export type { HostOptions } from './host-name.js'
export { resolveUrl } from './resolve-url.js'

/** Why a string is no URL that can be crawled. */
export type UrlFault = 'malformed' | 'no host' | 'host not valid under IDNA'

/**
 * The canonical form of a URL: what Nutch's BasicURLNormalizer gives. What is a URL is decided as the WHATWG parser decides it. Scheme and host in
 * lower
 * case, no default port, no fragment, no userinfo for http and https, dot segments and doubled slashes out of the path, escapes by RFC 3986 §6.2.2.
 * Idempotent.
 * @throws {CrawlError} URL_INVALID for what is no URL, and for schemes without a host other than file
 */
export function normalizeUrl(raw: string, options: HostOptions = {}): Url {
  const canonical = canonicalUrl(raw, options)
  if (typeof canonical === 'string') return canonical
  throw new CrawlError('URL_INVALID', `${canonical.fault}: ${JSON.stringify(shownUrl(raw))}`)
}

/** As `normalizeUrl`, with undefined for what is no URL that can be crawled. */
export function tryNormalizeUrl(raw: string, options: HostOptions = {}): Url | undefined {
  const canonical = canonicalUrl(raw, options)
  return typeof canonical === 'string' ? canonical : undefined
}

/** The canonical form, or why there is none. */
export function canonicalUrl(raw: string, options: HostOptions = {}): Url | { readonly fault: UrlFault } {
  const start = options.idn === 'toUnicode' ? 0 : (plainAuthority.exec(raw)?.[0].length ?? 0)
  if (start === 0 || hasIgnored.test(raw)) return canonicalByParser(raw, options)
  const rest = raw.slice(start)
  if (plainRest.test(rest)) return raw as Url // canonical already: specs hold this equal to what the parser gives
  const hash = rest.indexOf('#')
  const file = hash < 0 ? rest : rest.slice(0, hash)
  const mark = file.indexOf('?')
  const path = mark < 0 ? file : file.slice(0, mark)
  return `${raw.slice(0, start)}${specialPath(path)}${mark < 0 ? '' : canonicalEscapes(file.slice(mark))}` as Url // as above
}

/** A lower-case ASCII name that is no IP address and has no encoded label. */
const plainName = String.raw`(?!xn--)[a-z0-9_][a-z0-9_-]*(?:\.(?!xn--)[a-z0-9_][a-z0-9_-]*)*(?<=[/.][a-z_][a-z0-9_-]*)`
const octet = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`
/** No scheme's default, and surely in range. */
const plainPort = String.raw`:(?!(?:80|443)(?!\d))(?:[1-9]\d{0,3}|[1-5]\d{4})`
/** http or https with a host and port that stay as they are; no userinfo. */
const plainAuthority = new RegExp(String.raw`^https?:\/\/(?:${plainName}|${octet}(?:\.${octet}){3})(?:${plainPort})?(?=[/?#]|$)`)
/** What the parser drops: tabs and line ends anywhere, control characters and spaces at the end. */
const hasIgnored = /[\t\n\r]|[\0-\x20]$/
/** Path and query of which nothing has to change. */
const plainRest = /^(?:\/(?![./])[!$&'()*+,\-.0-9:;=@A-Z_a-z~]*)+(?:\?[!$&'()*+,\-./0-9:;=?@A-Z_a-z~]*)?$/

/** The slow path, and the reference for the fast one. */
export function canonicalByParser(raw: string, options: HostOptions): Url | { readonly fault: UrlFault } {
  const text = stripIgnored(raw)
  const url = parseHostUrl(text)
  if (url === undefined) return { fault: 'malformed' }
  const parts = splitUrl(text)
  if (url.protocol === 'file:') return canonicalFileUrl(text, url, parts)
  if (url.hostname === '') return { fault: 'no host' }
  const isNamed = isSpecialScheme(parts.scheme) // of other schemes the parser takes the host as it is written
  const host = isNamed ? canonicalHost(url.hostname, hostPart(parts.authority ?? ''), options) : url.hostname
  if (host === undefined) return { fault: 'host not valid under IDNA' }
  const authority = `${userinfoOf(url)}${host}${url.port === '' ? '' : `:${url.port}`}`
  // made of canonical parts: the one place that gives the brand
  return `${url.protocol}//${authority}${pathOf(url, parts)}${canonicalEscapes(parts.query)}` as Url
}

function userinfoOf({ protocol, username, password }: HostUrl): string {
  if (protocol === 'http:' || protocol === 'https:' || (username === '' && password === '')) return ''
  return `${username}${password === '' ? '' : `:${password}`}@`
}

/** The path is taken from the text, not from the parser, which removes dot segments before Nutch collapses slashes. */
function pathOf(url: HostUrl, parts: UrlParts): string {
  if (isSpecialScheme(parts.scheme)) return specialPath(parts.path)
  return url.pathname === '' ? '' : canonicalPath(canonicalEscapes(url.pathname))
}

/** Of http, https and ftp: a backslash is a slash, and there is always a path. */
function specialPath(written: string): string {
  const path = written.includes('\\') ? written.replaceAll('\\', '/') : written
  return path === '' ? '/' : canonicalPath(canonicalEscapes(path))
}

/** `file:///path` and `file:/path` are both kept as written, as Nutch does; what had to change gets one slash. */
function canonicalFileUrl(text: string, url: HostUrl, { query, fragment }: UrlParts): Url {
  const file = `${canonicalPath(canonicalEscapes(url.pathname))}${canonicalEscapes(query)}`
  const written = `file://${url.hostname}${file}`
  return (text === `${written}${fragment}` || url.hostname !== '' ? written : `file:${file}`) as Url // made of canonical parts, as above
}
