import { publicSuffixOf, withoutRootDot } from '../url/hosts.js'
import { parseHttpDate } from './http-date.js'

interface Cookie {
  readonly name: string
  readonly value: string
  /** Host that set it, or the domain it is for. */
  readonly domain: string
  readonly isHostOnly: boolean
  readonly path: string
  readonly isSecure: boolean
  /** Where it came from: it goes back to no other port, and not from https to http, though RFC 6265 would let it. */
  readonly port: string
  readonly isFromTls: boolean
  /** Epoch ms; infinite for the length of the run. */
  readonly expiresMs: number
}

const maxHosts = 2000
const maxCookiesPerDomain = 50
const maxCookieBytes = 4096

/** Cookies of one run (RFC 6265), bounded in number and size. Nothing is stored, and no cookie goes to a host that it is not for. */
export class CookieJar {
  readonly #byDomain = new Map<string, Map<string, Cookie>>()

  /** Takes the Set-Cookie headers of a response. */
  take(url: URL, values: readonly string[], nowMs: number): void {
    for (const value of values.slice(0, maxCookiesPerDomain)) {
      const cookie = parseSetCookie(url, value, nowMs)
      if (cookie !== undefined) this.#put(cookie, nowMs)
    }
  }

  /** The Cookie header for a request, or undefined if there is none to send. */
  headerFor(url: URL, nowMs: number): string | undefined {
    const cookies: Cookie[] = []
    for (let domain = url.hostname; domain !== ''; domain = parentOf(domain)) {
      for (const cookie of this.#byDomain.get(domain)?.values() ?? []) if (isFor(cookie, url, domain, nowMs)) cookies.push(cookie)
    }
    if (cookies.length === 0) return undefined
    cookies.sort((a, b) => b.path.length - a.path.length)
    return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  }

  #put(cookie: Cookie, nowMs: number): void {
    let cookies = this.#byDomain.get(cookie.domain)
    if (cookies === undefined) {
      cookies = new Map()
      this.#byDomain.set(cookie.domain, cookies)
      for (const oldest of this.#byDomain.keys()) {
        if (this.#byDomain.size <= maxHosts) break
        this.#byDomain.delete(oldest)
      }
    }
    const key = `${cookie.name};${cookie.path}`
    cookies.delete(key)
    if (cookie.expiresMs > nowMs) cookies.set(key, cookie)
    for (const oldest of cookies.keys()) {
      if (cookies.size <= maxCookiesPerDomain) break
      cookies.delete(oldest)
    }
  }
}

function parseSetCookie({ hostname, pathname, port, protocol }: URL, header: string, nowMs: number): Cookie | undefined {
  if (header.length > maxCookieBytes) return undefined
  const [pair = '', ...rest] = header.split(';')
  const equals = pair.indexOf('=')
  const name = pair.slice(0, Math.max(0, equals)).trim()
  const value = pair.slice(equals + 1).trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what would end a header line must not get into one
  if (name === '' || /[\0-\x1f\x7f]/.test(name + value)) return undefined
  const attributes = new Map(rest.map(part => attributeOf(part)))
  const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase()
  const isShared = isSharable(domain)
  const isOwn = domain === '' || domain === hostname
  if (!isOwn && !(isShared && hostname.endsWith(`.${domain}`))) return undefined
  const path = attributes.get('path')
  return {
    name,
    value,
    domain: isOwn ? hostname : domain,
    isHostOnly: !isShared,
    path: path?.startsWith('/') === true ? path : pathname.slice(0, pathname.lastIndexOf('/')) || '/',
    isSecure: attributes.has('secure'),
    port,
    isFromTls: protocol === 'https:',
    expiresMs: expiryOf(attributes, nowMs),
  }
}

function attributeOf(part: string): readonly [string, string] {
  const equals = part.indexOf('=')
  if (equals < 0) return [part.trim().toLowerCase(), '']
  return [part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim()]
}

function expiryOf(attributes: ReadonlyMap<string, string>, nowMs: number): number {
  const maxAge = attributes.get('max-age')
  if (maxAge !== undefined && /^-?\d{1,12}$/.test(maxAge)) return nowMs + Number(maxAge) * 1000
  return parseHttpDate(attributes.get('expires') ?? '') ?? Number.POSITIVE_INFINITY
}

/** A public suffix such as co.uk, or one like github.io whose names belong to strangers, is no domain that cookies can be shared in. */
function isSharable(domain: string): boolean {
  const name = withoutRootDot(domain)
  return name.includes('.') && publicSuffixOf(name, { usesPrivate: true }) !== name
}

function isFor({ isHostOnly, path, isSecure, isFromTls, port, expiresMs }: Cookie, url: URL, domain: string, nowMs: number): boolean {
  if (expiresMs <= nowMs || (isHostOnly && domain !== url.hostname)) return false
  if (port !== url.port || ((isSecure || isFromTls) && url.protocol !== 'https:')) return false
  return url.pathname === path || (url.pathname.startsWith(path) && (path.endsWith('/') || url.pathname[path.length] === '/'))
}

function parentOf(domain: string): string {
  const dot = domain.indexOf('.')
  return dot < 0 || /^[\d.]+$/.test(domain) || domain.startsWith('[') ? '' : domain.slice(dot + 1)
}
