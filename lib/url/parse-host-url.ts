import { splitAuthority } from './split-url.js'

/** What the WHATWG parser says of a URL, as far as the canonical form needs it. */
export interface HostUrl {
  /** Lower case, with its colon. */
  readonly protocol: string
  readonly username: string
  readonly password: string
  /** Lower case and ASCII for special schemes; IPv6 in brackets. */
  readonly hostname: string
  /** Empty for the scheme's default. */
  readonly port: string
  readonly pathname: string
}

/** A label that the parser of today's standard takes as it is; older platforms try to decode it. */
const encodedLabel = /xn--/gi
const standIn = 'xn00'

/**
 * Parses as the WHATWG URL standard of 2026 says (§4.4 and §3.3, UTS #46 revision 33), or undefined where that fails. The platform's parser does
 * the work; where its tables are older (Node 20: ada 2.9) a second try with the host rewritten gives what the standard gives now.
 */
export function parseHostUrl(raw: string): HostUrl | undefined {
  const updated = mayMapDifferently.test(raw) ? withMappedHost(raw) : raw
  return parsed(updated) ?? parseUndecoded(updated)
}

/** The href of `ref` against `base` (empty for none), or undefined where the standard's parser fails: as `parseHostUrl`, for two texts. */
export function resolvedHref(base: string, ref: string): string | undefined {
  const updated = mayMapDifferently.test(ref) ? withMappedHost(withScheme(base, ref)) : ref
  const url = parsed(updated, base) ?? resolveUndecoded(base, updated)
  if (url === undefined) return undefined
  const { href, pathname } = url
  return pathname.startsWith('/') && pathname.includes('^') ? href.replace(pathname, () => pathname.replaceAll('^', '%5E')) : href
}

function parsed(raw: string, base?: string): URL | undefined {
  try {
    return new URL(raw, base === '' ? undefined : base)
  } catch {
    return undefined
  }
}

/** A host that is ASCII once its escapes are taken away is lower-cased only: its `xn--` labels need not decode. */
function parseUndecoded(raw: string): HostUrl | undefined {
  const swapped = withStandIn(raw)
  const url = swapped === undefined ? undefined : parsed(swapped)
  if (url === undefined) return undefined
  const { protocol, username, password, port, pathname } = url
  return { protocol, username, password, hostname: url.hostname.replaceAll(standIn, 'xn--'), port, pathname }
}

function resolveUndecoded(base: string, ref: string): { readonly href: string; readonly pathname: string } | undefined {
  const [swappedBase, swappedRef] = [withStandIn(base), withStandIn(withScheme(base, ref))]
  if (swappedBase === undefined && swappedRef === undefined) return undefined
  const url = parsed(swappedRef ?? ref, swappedBase ?? base)
  if (url === undefined) return undefined
  const { host, href, pathname } = url
  return { href: href.replace(host, () => host.replaceAll(standIn, 'xn--')), pathname }
}

/** A reference that begins with two slashes, with the scheme of the base before it. */
function withScheme(base: string, ref: string): string {
  return /^\s*[\\/]{2}/.test(ref) ? `${base.slice(0, base.indexOf(':') + 1)}${ref.trimStart()}` : ref
}

/** The URL with another word in place of `xn--` in its host, or undefined if that changes nothing or could not be taken back. */
function withStandIn(raw: string): string | undefined {
  if (!raw.includes('--')) return undefined
  const { before, host, after } = splitAuthority(raw)
  if (!/^(?!.*%[89a-f])[\x20-\x7e]*$/i.test(host) || host.search(encodedLabel) < 0 || host.toLowerCase().includes(standIn)) return undefined
  return `${before}${host.replace(encodedLabel, standIn)}${after}`
}

/** Code points whose mapping UTS #46 changed in revisions 31 and 33. */
const mayMapDifferently = /[\u1e9e\u04c0\u10a0-\u10c5\u2132\u2183\u206a-\u206f\u{2f868}\u{2f874}\u{2f91f}\u{2f95f}\u{2f9bf}]/u
const mayMapDifferentlyAll = new RegExp(mayMapDifferently.source, 'gu')
const mappings = new Map([
  ['\u1e9e', '\u00df'],
  ['\u04c0', '\u04cf'],
  ['\u2132', '\u214e'],
  ['\u2183', '\u2184'],
  ['\u{2f868}', '\u{36fc}'],
  ['\u{2f874}', '\u{5f33}'],
  ['\u{2f91f}', '\u{43ab}'],
  ['\u{2f95f}', '\u{7aee}'],
  ['\u{2f9bf}', '\u{45d7}'],
])

/** The URL with the new mappings done in its host; elsewhere those characters stand for themselves. */
function withMappedHost(raw: string): string {
  const { before, host, after } = splitAuthority(raw)
  return `${before}${host.replace(mayMapDifferentlyAll, mappedNow)}${after}`
}

function mappedNow(char: string): string {
  const code = char.codePointAt(0) as number
  if (code >= 0x10a0 && code <= 0x10c5) return String.fromCodePoint(code - 0x10a0 + 0x2d00)
  return mappings.get(char) ?? ''
}
