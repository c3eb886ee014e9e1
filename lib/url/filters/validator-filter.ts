import { builtIn } from '../../explain/decision.js'
import type { UrlFilter, Verdict } from './url-filter.js'

const shape = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?[^#]*)?(?:#.*)?$/
const schemes = new Set(['http', 'https', 'ftp', 'file'])
const authorityShape = /^([A-Za-z0-9.-]*)(?::([0-9]{1,5}))?$/
const address = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/
const pathShape = /^(?:\/[-\w:@&?=+,.!/~*'%$;()]*)?$/

/**
 * Nutch's UrlValidator, a strict reading of RFC 2396: ASCII without spaces; http, https, ftp or file; a host of two labels or more whose last begins
 * with a
 * letter, or an IPv4 address; a path without uncommon characters, and with no more `..` than it has folders.
 */
export const validatorFilter: UrlFilter = {
  name: 'validator',
  accepts: url => faultOf(url) === undefined,
  verdict: (url): Verdict => {
    const fault = faultOf(url)
    const by = { rule: 'validator', file: builtIn, line: 0 }
    return fault === undefined ? { accepted: true, by } : { accepted: false, by, reason: fault }
  },
}

function faultOf(url: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(url)) return 'characters other than visible ASCII'
  const cut = shape.exec(url)
  if (cut === null) return 'no scheme'
  const [, scheme = '', authority, path = ''] = cut
  if (!schemes.has(scheme.toLowerCase())) return `scheme ${scheme}`
  if (authority === undefined || !isAuthority(authority)) return 'host or port'
  return isPath(path) ? undefined : 'path'
}

function isAuthority(authority: string): boolean {
  const host = authorityShape.exec(authority)?.[1]
  if (host === undefined) return false
  if (address.test(host)) return host.split('.').every(part => Number(part) <= 255)
  const labels = host.split('.')
  return labels.length > 1 && labels.every(label => label !== '') && /^[A-Za-z]/.test(labels.at(-1) ?? '')
}

function isPath(path: string): boolean {
  if (!pathShape.test(path)) return false
  const doubleDots = path.match(/\.\./g)?.length ?? 0
  const doubleSlashes = path.match(/\/\//g)?.length ?? 0
  const slashes = path.match(/\//g)?.length ?? 0
  return doubleDots === 0 || slashes - doubleSlashes - 1 > doubleDots
}
