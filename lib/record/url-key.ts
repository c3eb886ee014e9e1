import { CrawlError } from '../errors/crawl-error.js'
import { storedUrl, type Url } from './url.js'

/*
 * The key of a URL in the CrawlDb and LinkDb: the host's labels reversed, joined by 0x02 and ended by 0x01, then scheme, port, userinfo,
 * path and query. Each host, and each registered domain with all its hosts, is one contiguous range. Keys are ASCII, so that the order of
 * strings is the order of bytes; letters beyond ASCII, which only a host in Unicode form has, stand as 0x04 XX for each of their UTF-8 bytes.
 */

const labelEnd = '\u0001'
const labelJoint = '\u0002'
const afterLabels = '\u0003'
const byteMark = '\u0004'
const markedBytes = new RegExp(`(?:${byteMark}[0-9A-F]{2})+`, 'g')

/** The key of a normalized URL. @throws {CrawlError} URL_INVALID if it has no scheme */
export function keyOfUrl(url: Url): string {
  const colon = url.indexOf(':')
  if (colon <= 0) throw new CrawlError('URL_INVALID', `no scheme in ${url}`)
  const scheme = url.slice(0, colon)
  if (url[colon + 1] !== '/' || url[colon + 2] !== '/') return `${labelEnd}${scheme}!${url.slice(colon + 1)}`
  const start = colon + 3
  const end = authorityEnd(url, start)
  const at = url.lastIndexOf('@', end)
  const hostStart = at >= start ? at + 1 : start
  const userinfo = at >= start ? `@${url.slice(start, at)}` : ''
  const hostEnd = hostEndIn(url, hostStart, end)
  return `${reversedHost(url.slice(hostStart, hostEnd))}${labelEnd}${scheme}${url.slice(hostEnd, end)}${userinfo}${url.slice(end)}`
}

/** The URL of a key that `keyOfUrl` made. @throws {CrawlError} RECORD_CORRUPT if it is none */
export function urlOfKey(key: string): Url {
  const hostEnd = key.indexOf(labelEnd)
  if (hostEnd < 0) throw new CrawlError('RECORD_CORRUPT', `no host in the key ${JSON.stringify(key)}`)
  const pathStart = key.indexOf('/', hostEnd)
  const prefix = pathStart < 0 ? undefined : plainPrefixes.get(key.slice(hostEnd + 1, pathStart))
  if (prefix !== undefined) return storedUrl(prefix + hostOfReversed(key.slice(0, hostEnd)) + key.slice(pathStart))
  return urlOfParts(key, hostEnd)
}

/** Of keys with neither port nor userinfo, as nearly all are, by what stands between host and path. */
const plainPrefixes: ReadonlyMap<string, string> = new Map(['http', 'https'].map(scheme => [scheme, `${scheme}://`]))

function urlOfParts(key: string, hostEnd: number): Url {
  const rest = key.slice(hostEnd + 1)
  const schemeEnd = rest.search(/[!:@/?]/)
  const scheme = schemeEnd < 0 ? rest : rest.slice(0, schemeEnd)
  const tail = schemeEnd < 0 ? '' : rest.slice(schemeEnd)
  if (tail[0] === '!') return storedUrl(`${scheme}:${tail.slice(1)}`)
  const pathStart = tail.search(/[/?]/)
  const authority = pathStart < 0 ? tail : tail.slice(0, pathStart)
  const path = pathStart < 0 ? '' : tail.slice(pathStart)
  const at = authority.indexOf('@')
  const port = at < 0 ? authority : authority.slice(0, at)
  const userinfo = at < 0 ? '' : `${authority.slice(at + 1)}@`
  return storedUrl(`${scheme}://${userinfo}${hostOfReversed(key.slice(0, hostEnd))}${port}${path}`)
}

/** A half-open range of keys: `gte` is in it, `lt` is not. */
export interface KeyRange {
  readonly gte: string
  readonly lt: string
}

/** All keys of one host. */
export function hostRange(host: string): KeyRange {
  const reversed = reversedHost(host)
  return { gte: `${reversed}${labelEnd}`, lt: `${reversed}${labelJoint}` }
}

/** All keys of a registered domain: the host of that name and every host below it. */
export function domainRange(domain: string): KeyRange {
  const reversed = reversedHost(domain)
  return { gte: `${reversed}${labelEnd}`, lt: `${reversed}${afterLabels}` }
}

/** The part of a key before 0x01: a host as the indexes spell it. */
export function reversedHostOfKey(key: string): string {
  return key.slice(0, key.indexOf(labelEnd))
}

/** A host as keys spell it. IP addresses are not reversed. */
export function reversedHost(host: string): string {
  if (host === lastReversed.host) return lastReversed.reversed
  const reversed = reverseLabels(host)
  lastReversed = { host, reversed }
  return reversed
}

/** Neighbours in a sorted db, and links of a page, mostly share their host: the last answer is kept. */
let lastReversed = { host: '', reversed: '' }
let lastRead = { reversed: '', host: '' }

function reverseLabels(host: string): string {
  const ascii = isAscii(host) ? host : escapeBeyondAscii(host)
  return isIpAddress(ascii) ? ascii : reverseJoined(ascii, '.', labelJoint)
}

/** Parts between one joint in the opposite order, with another between them. */
function reverseJoined(text: string, from: string, to: string): string {
  let result = ''
  let end = text.length
  for (let joint = text.lastIndexOf(from); joint >= 0; joint = joint === 0 ? -1 : text.lastIndexOf(from, joint - 1)) {
    result += text.slice(joint + 1, end) + to
    end = joint
  }
  return result + text.slice(0, end)
}

export function hostOfReversed(reversed: string): string {
  if (reversed === lastRead.reversed) return lastRead.host
  const host = readLabels(reversed)
  lastRead = { reversed, host }
  return host
}

function readLabels(labels: string): string {
  const escaped = isIpAddress(labels) ? labels : reverseJoined(labels, labelJoint, '.')
  return escaped.includes(byteMark) ? escaped.replace(markedBytes, run => decodeURIComponent(run.replaceAll(byteMark, '%'))) : escaped
}

/** Index of the first `/` or `?` at or after `from`, else the length. */
function authorityEnd(url: string, from: number): number {
  for (let index = from; index < url.length; index++) {
    const code = url.charCodeAt(index)
    if (code === 0x2f || code === 0x3f) return index
  }
  return url.length
}

function hostEndIn(url: string, from: number, end: number): number {
  const bracket = url[from] === '[' ? url.indexOf(']', from) : -1
  const colon = url.indexOf(':', bracket < 0 ? from : bracket)
  return colon >= 0 && colon < end ? colon : end
}

/** A normalized host is an IPv4 address exactly when its last label is a number (WHATWG URL §3.5), an IPv6 address when it is in brackets. */
function isIpAddress(host: string): boolean {
  return host[0] === '[' || (host.includes('.') && /^\d+\.\d+\.\d+\.\d+$/.test(host))
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}

function escapeBeyondAscii(host: string): string {
  return host.replace(/[^ -~]+/g, run => encodeURIComponent(run).replaceAll('%', byteMark))
}
