import type { Url } from './url.js'

/** The host of a normalized URL, without user and port; an IPv6 address with its brackets; empty where there is none. */
export function hostOf(url: Url): string {
  const start = url.indexOf('://')
  if (start < 0) return ''
  let end = start + 3
  while (end < url.length && !isAuthorityEnd(url.charCodeAt(end))) end++
  const authority = url.slice(start + 3, end)
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const port = host.indexOf(':', host.lastIndexOf(']') + 1)
  return port < 0 ? host : host.slice(0, port)
}

function isAuthorityEnd(code: number): boolean {
  return code === 0x2f || code === 0x3f || code === 0x23
}
