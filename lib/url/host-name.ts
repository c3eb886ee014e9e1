import { hostToAscii, hostToUnicode, type IdnaVersion } from './idn.js'

/** What becomes of a host name that is not ASCII, and of the dot of the root. */
export interface HostOptions {
  /**
   * `whatwg`: ASCII as browsers make it (UTS #46, non-transitional). `toAscii`, `toUnicode`: Nutch's values, by IDNA 2003 or 2008. Empty: lower-
   * cased and
   * otherwise as written, Nutch's default.
   * @defaultValue 'whatwg'
   */
  readonly idn?: IdnMode
  /** For `toAscii` and `toUnicode`. @defaultValue false */
  readonly idna2008?: boolean
  /** @defaultValue false */
  readonly trimTrailingDot?: boolean
}

export type IdnMode = 'whatwg' | '' | 'toAscii' | 'toUnicode'

const ascii = /^[\0-\x7f]*$/
const ipv4 = /^\d+\.\d+\.\d+\.\d+$/

/**
 * The canonical host. `hostname` is what the WHATWG parser made of it, `written` how the URL spells it. IP addresses are always the parser's: one
 * address must not be two hosts. Undefined if the IDNA version asked for does not know the name.
 */
export function canonicalHost(hostname: string, written: string, { idn = 'whatwg', idna2008 = false, trimTrailingDot = false }: HostOptions) {
  const host = hostname.startsWith('[') || ipv4.test(hostname) ? hostname : byIdnMode(hostname, written, idn, idna2008 ? 'IDNA2008' : 'IDNA2003')
  return trimTrailingDot && host?.endsWith('.') && host.length > 1 ? host.slice(0, -1) : host
}

function byIdnMode(hostname: string, written: string, idn: IdnMode, version: IdnaVersion): string | undefined {
  switch (idn) {
    case 'whatwg':
      return hostname
    case '':
      return asWritten(hostname, written)
    case 'toAscii':
      return version === 'IDNA2008' ? hostname : toAscii2003(asWritten(hostname, written))
    case 'toUnicode':
      return hostname
        .split('.')
        .map(label => hostToUnicode(label, version) ?? label)
        .join('.')
  }
}

const toAscii2003 = (host: string): string | undefined => (ascii.test(host) ? host : hostToAscii(host, 'IDNA2003'))

function asWritten(hostname: string, written: string): string {
  const decoded = written.includes('%') ? percentDecoded(written) : written
  return ascii.test(decoded) ? hostname : decoded.toLowerCase()
}

function percentDecoded(text: string): string {
  const encoded = text.replace(/%[0-9a-f]{2}|[^%]+|%/gi, piece => (piece.length === 3 && piece.startsWith('%') ? piece : encodeURIComponent(piece)))
  const bytes = Buffer.from(
    encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  return bytes.toString()
}
