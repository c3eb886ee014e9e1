import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'

/** How URLs are grouped into fetch queues, limits and statistics. */
export type QueueMode = 'byHost' | 'byDomain'

/** The host of a normalized URL as it stands there: no port, no userinfo, IPv6 in brackets; empty for file URLs without a host. */
export function hostOf(url: string): string {
  const slashes = url.indexOf('://')
  if (slashes < 0) return ''
  const start = slashes + 3
  let end = start
  let hostStart = start
  let hostEnd = -1
  for (; end < url.length; end++) {
    const code = url.charCodeAt(end)
    if (code === 0x2f || code === 0x3f || code === 0x23) break
    if (code === 0x40) {
      hostStart = end + 1
      hostEnd = -1
    } else if (code === 0x5d) hostEnd = -1
    else if (code === 0x3a && hostEnd < 0) hostEnd = end
  }
  return url.slice(hostStart, hostEnd < hostStart ? end : hostEnd)
}

/** Whether a host name is an IPv4 address or a bracketed IPv6 address. */
export function isIpHost(host: string): boolean {
  return host.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}\.?$/.test(host)
}

/** Labels of a host from the left; an address is one. */
export function hostSegmentsOf(url: string): string[] {
  const host = hostOf(url)
  return isIpHost(host) ? [host] : host.split('.')
}

/** How the public suffix list is read. */
export interface SuffixOptions {
  /** Whether rules of the private section count, so that `github.io` is a suffix. @defaultValue false, as in Nutch */
  readonly usesPrivate?: boolean
}

const tldtsOptions = { extractHostname: false, validateHostname: false, detectIp: false } as const
const labels = /^[^\s.\ufffd]+(?:\.[^\s.\ufffd]+)*$/

let library: typeof import('tldts') | undefined

/** Loads the public suffix list when it is asked first: reading it takes a tenth of the start of a command, and most never ask. */
function suffixes(): typeof import('tldts') {
  library ??= createRequire(import.meta.url)('tldts') as typeof import('tldts') // the module's own types
  return library
}

/** The public suffix of a host in ASCII, or undefined for an address and for a top level that the list does not know. */
export function publicSuffixOf(host: string, { usesPrivate = false }: SuffixOptions = {}): string | undefined {
  const name = nameOf(host)
  if (name === undefined) return undefined
  const { publicSuffix, isIcann, isPrivate } = suffixes().parse(name, { ...tldtsOptions, allowPrivateDomains: usesPrivate })
  return publicSuffix !== null && (isIcann === true || isPrivate === true) ? inAscii(publicSuffix) : undefined
}

/** The top level of a host in ASCII, or undefined where `publicSuffixOf` is. */
export function topLevelOf(host: string): string | undefined {
  return publicSuffixOf(host)?.split('.').at(-1)
}

/**
 * Public suffix and one label; undefined for a suffix itself, an address, and what is no host name. A top level that is not listed counts as
 * suffix.
 */
export function registrableDomainOf(host: string, { usesPrivate = false }: SuffixOptions = {}): string | undefined {
  const name = nameOf(host)
  return name === undefined ? undefined : (suffixes().getDomain(name, { ...tldtsOptions, allowPrivateDomains: usesPrivate }) ?? undefined)
}

/**
 * The domain that someone registered, as Nutch's URLUtil.getDomainName. A top level that is not listed counts as suffix. The whole host if it is an
 * address or a suffix.
 */
export function registeredDomainOf(host: string): string {
  if (host === '' || isIpHost(host)) return host
  const name = withoutRootDot(host)
  return suffixes().getDomain(name, { ...tldtsOptions, allowPrivateDomains: false }) ?? name
}

/** The id of the queue that a normalized URL waits in. */
export function queueIdOf(url: string, mode: QueueMode): string {
  return mode === 'byDomain' ? registeredDomainOf(hostOf(url)) : hostOf(url)
}

/** A host name in lower case without the root's dot, or undefined for an address and what is none. */
function nameOf(host: string): string | undefined {
  const name = withoutRootDot(host).toLowerCase()
  return labels.test(name) && !isIpHost(name) ? name : undefined
}

/** `example.org` of `example.org.`, which names the same host. */
export function withoutRootDot(host: string): string {
  return host.endsWith('.') && host.length > 1 ? host.slice(0, -1) : host
}

function inAscii(name: string): string {
  return /^[\0-\x7f]*$/.test(name) ? name : domainToASCII(name)
}
