import { domainToASCII } from 'node:url'

/** Session parameters that replay tools leave out of the key; the lengths are fixed, so that each pattern is tried in linear time. */
const querySessions: readonly RegExp[] = [
  /jsessionid=[0-9a-z]{32}(?:&|$)/gi,
  /phpsessid=[0-9a-z]{32}(?:&|$)/gi,
  /sid=[0-9a-z]{32}(?:&|$)/gi,
  /aspsessionid[a-z]{8}=[a-z]{24}(?:&|$)/gi,
  /cfid=[^&]{1,64}&cftoken=[^&]{1,128}(?:&|$)/gi,
]
const aspxSessionFolder = /\/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\)){1,8})\)(?=\/[^?/]+\.aspx)/i

/**
 * The key under which pywb, OpenWayback and CDX servers look a URL up: host labels reversed, `www.` dropped, default port and user
 * dropped, path and query lower case and escaped in one way, parameters sorted, session ids removed. Always ASCII.
 * URLs without a host (`urn:`, `dns:`, `metadata:`) are their own key.
 */
export function toSurt(url: string): string {
  const parts = /^(https?|ftp):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?([^?#]*)(\?[^#]*)?/i.exec(url)
  if (parts === null || parts[2] === '') return escapeOutside(utf8AsLatin1(url))
  const [, scheme = '', host = '', port = '', path = '', query = ''] = parts
  return `${surtHost(host)}${surtPort(scheme.toLowerCase(), port)})${surtPath(path)}${surtQuery(query)}`
}

function surtHost(raw: string): string {
  if (raw.startsWith('[')) return raw.slice(1, -1).toLowerCase()
  const ascii = isAscii(raw) ? raw : domainToASCII(raw) || utf8AsLatin1(raw)
  const host = escapeOutside(unescapeAll(ascii))
    .toLowerCase()
    .replace(/^\.+|\.+$/g, '')
    .replaceAll('..', '.')
  return host
    .replace(/^www\d{0,9}\./, '')
    .split('.')
    .reverse()
    .join(',')
}

function surtPort(scheme: string, port: string): string {
  const isDefault = port === '' || (scheme === 'http' && port === '80') || (scheme === 'https' && port === '443')
  return isDefault ? '' : `:${port}`
}

function surtPath(raw: string): string {
  const kept: string[] = []
  const segments = unescapeAll(utf8AsLatin1(raw)).split('/').slice(1)
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    if (segment === '.') continue
    if (segment === '..' && kept.length > 0) kept.pop()
    else if (segment !== '' || isLast) kept.push(segment)
  }
  const path = escapeOutside(`/${kept.join('/')}`)
    .toLowerCase()
    .replace(aspxSessionFolder, '')
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function surtQuery(raw: string): string {
  if (raw.length <= 1) return ''
  let query = escapeOutside(unescapeAll(utf8AsLatin1(raw.slice(1))))
  for (const pattern of querySessions) query = withoutLast(query, pattern)
  query = query.toLowerCase()
  if (query.length > 1) query = query.split('&').sort(byNameThenValue).join('&')
  return query === '' ? '' : `?${query}`
}

function withoutLast(query: string, pattern: RegExp): string {
  let last: RegExpMatchArray | undefined
  for (const match of query.matchAll(pattern)) last = match
  if (last === undefined) return query
  const start = last.index ?? 0
  return query.slice(0, start) + query.slice(start + last[0].length)
}

/** As pairs compare: a name before a longer one, a parameter without `=` before the same one with it. */
function byNameThenValue(a: string, b: string): number {
  const [aName = '', ...aValue] = a.split('=')
  const [bName = '', ...bValue] = b.split('=')
  if (aName !== bName) return aName < bName ? -1 : 1
  if (aValue.length === 0 || bValue.length === 0) return aValue.length - bValue.length
  const [left, right] = [aValue.join('='), bValue.join('=')]
  return left < right ? -1 : left > right ? 1 : 0
}

function utf8AsLatin1(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is for anything outside ASCII
  return /^[\x00-\x7f]*$/.test(text)
}

/** Percent-decodes until nothing changes; each round shortens the text, and at most eight are made. */
function unescapeAll(text: string): string {
  let current = text
  for (let round = 0; round < 8 && current.includes('%'); round++) {
    const next = current.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === current) break
    current = next
  }
  return current
}

/** Percent-encodes controls, space, `#`, `%` and all that is not ASCII. */
function escapeOutside(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is escaped
  return text.replace(/[\x00-\x20#%\x7f-\xff]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
