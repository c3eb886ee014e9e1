/** A URL's text cut into parts, without judging them. */
export interface UrlParts {
  readonly scheme: string
  /** With userinfo and port; undefined if there is none. */
  readonly authority: string | undefined
  readonly path: string
  /** With its `?`; empty if there is none. */
  readonly query: string
  /** With its `#`; empty if there is none. */
  readonly fragment: string
}

/** Schemes whose URLs are cut as WHATWG's "special" ones are: backslash counts as slash, and slashes after the colon may be missing. */
const specialSchemes = new Set(['http', 'https', 'ftp', 'ws', 'wss'])

export function isSpecialScheme(scheme: string): boolean {
  return specialSchemes.has(scheme)
}

/** Takes away what the WHATWG parser ignores: control characters and spaces at both ends, tabs and line ends anywhere. */
export function stripIgnored(raw: string): string {
  let start = 0
  let end = raw.length
  while (start < end && raw.charCodeAt(start) <= 0x20) start++
  while (end > start && raw.charCodeAt(end - 1) <= 0x20) end--
  const stripped = raw.slice(start, end)
  return /[\t\n\r]/.test(stripped) ? stripped.replace(/[\t\n\r]+/g, '') : stripped
}

/** Cuts text that `stripIgnored` gave. Scheme in lower case; empty if the text has none. */
export function splitUrl(text: string): UrlParts {
  const colon = schemeEnd(text)
  const scheme = text.slice(0, Math.max(0, colon)).toLowerCase()
  const hash = text.indexOf('#')
  const end = hash < 0 ? text.length : hash
  const mark = text.indexOf('?')
  const pathEnd = mark < 0 || mark > end ? end : mark
  const query = text.slice(pathEnd, end)
  const fragment = text.slice(end)
  const special = specialSchemes.has(scheme)
  let start = colon + 1
  if (special) while (start < pathEnd && isSlash(text, start)) start++
  else if (text.startsWith('//', start)) start += 2
  else return { scheme, authority: undefined, path: text.slice(start, pathEnd), query, fragment }
  let slash = start
  while (slash < pathEnd && !(special ? isSlash(text, slash) : text[slash] === '/')) slash++
  return { scheme, authority: text.slice(start, slash), path: text.slice(slash, pathEnd), query, fragment }
}

/** Text before the host, the host without port and userinfo, and text after it. */
export function splitAuthority(raw: string): { readonly before: string; readonly host: string; readonly after: string } {
  const text = stripIgnored(raw)
  const { authority } = splitUrl(text)
  if (authority === undefined) return { before: text, host: '', after: '' }
  const start = text.indexOf(authority, schemeEnd(text) + 1)
  const host = hostPart(authority)
  const hostStart = start + authority.lastIndexOf('@') + 1
  return { before: text.slice(0, hostStart), host, after: text.slice(hostStart + host.length) }
}

/** The host of an authority as it is written there. */
export function hostPart(authority: string): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const port = host.indexOf(':', host.startsWith('[') ? Math.max(0, host.indexOf(']')) : 0)
  return port < 0 ? host : host.slice(0, port)
}

function schemeEnd(text: string): number {
  const colon = text.indexOf(':')
  return colon > 0 && /^[A-Za-z][A-Za-z0-9+\-.]*$/.test(text.slice(0, colon)) ? colon : -1
}

function isSlash(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code === 0x2f || code === 0x5c
}
