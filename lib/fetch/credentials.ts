import { CrawlError } from '../errors/crawl-error.js'

/** Value of the Authorization header for a request, or undefined for none. `startOrigin`: where the chain of redirects began, if not at `url`. */
export type Authorize = (url: URL, startOrigin?: string) => string | undefined

/**
 * Basic authentication by host (RFC 7617), from entries host=user:password or host:port=user:password. An entry without a port is for all ports of
 * its host; but a redirect leads it to another origin only by https at the default port, so that no other service and no listener gets to see it.
 * @throws {CrawlError} CONFIG_INVALID for an entry that is none
 */
export function basicCredentials(entries: readonly string[]): Authorize {
  const byHost = new Map(entries.map((entry, index) => credentialOf(entry, index)))
  if (byHost.size === 0) return () => undefined
  return (url, startOrigin = url.origin) => {
    const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
    const named = byHost.get(`${url.hostname}:${port}`)
    if (named !== undefined) return named
    const isSafe = startOrigin === url.origin || (url.protocol === 'https:' && url.port === '')
    return isSafe ? byHost.get(url.hostname) : undefined
  }
}

function credentialOf(entry: string, index: number): readonly [string, string] {
  const equals = entry.indexOf('=')
  const host = entry.slice(0, Math.max(0, equals)).trim().toLowerCase()
  const pair = entry.slice(equals + 1)
  if (host === '' || !pair.includes(':')) {
    throw new CrawlError('CONFIG_INVALID', `http.auth.basic: entry ${index + 1} is not host=user:password (a comma begins the next one)`)
  }
  return [host, `Basic ${Buffer.from(pair).toString('base64')}`]
}

const secretHeaders = /^(?:proxy-)?authorization[ \t]*:[^\n]*\n/gim

/** A request head without what it proves its right by: heads go into WARC files, and these to others. */
export function withoutCredentials(requestHead: Uint8Array): Uint8Array {
  const text = Buffer.from(requestHead.buffer, requestHead.byteOffset, requestHead.byteLength).toString('latin1')
  return Buffer.from(text.replace(secretHeaders, ''), 'latin1')
}
