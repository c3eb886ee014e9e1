import { getDomain, getPublicSuffix } from 'tldts'

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

const suffixOptions = { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false } as const

/** The public suffix of a host (ICANN part of the list), or undefined for an address and for a top level that the list does not know. */
export function publicSuffixOf(host: string): string | undefined {
  if (host === '' || isIpHost(host)) return undefined
  return getPublicSuffix(withoutRootDot(host), suffixOptions) ?? undefined
}

/** The domain that someone registered: public suffix and one label. The host itself if it is an address, a suffix or a single label. */
export function registeredDomainOf(host: string): string {
  if (host === '' || isIpHost(host)) return host
  const name = withoutRootDot(host)
  return getDomain(name, suffixOptions) ?? name
}

/** The id of the queue that a normalized URL waits in. */
export function queueIdOf(url: string, mode: QueueMode): string {
  return mode === 'byDomain' ? registeredDomainOf(hostOf(url)) : hostOf(url)
}

function withoutRootDot(host: string): string {
  return host.endsWith('.') && host.length > 1 ? host.slice(0, -1) : host
}
