import type { HttpConfig } from '../config/http-options.js'
import { metadataKeys } from '../record/metadata.js'
import type { CrawlDatum } from '../record/records.js'
import { acceptEncoding } from '../stream/unpack/codings.js'
import { basicCredentials } from './credentials.js'
import { formatHttpDate } from './http-date.js'

/** The User-Agent as Nutch builds it: name[/version][ (description; url; email)]. */
export function userAgentOf({ agentName, agentVersion, agentDescription, agentUrl, agentEmail }: HttpConfig): string {
  const product = agentVersion === '' ? agentName : `${agentName}/${agentVersion}`
  const details = [agentDescription, agentUrl, agentEmail].filter(part => part !== '').join('; ')
  return details === '' ? product : `${product} (${details})`
}

/** Whether the User-Agent tells a site whom to write to before it blocks the crawler. */
export function hasContact({ agentUrl, agentEmail }: HttpConfig): boolean {
  return agentUrl !== '' || agentEmail !== ''
}

/** The names that robots.txt is asked for: `http.agent.name` and `http.robots.agents`. */
export function agentNamesOf({ agentName, robotsAgents }: HttpConfig): readonly string[] {
  return [...new Set([agentName, ...robotsAgents])].filter(name => name !== '*')
}

/** What a request is for: its page, and where the redirects that led to it began. */
export interface RequestReason {
  readonly datum?: CrawlDatum
  readonly startOrigin?: string
}

/** The headers of a request, as names and values in turn. */
export type HeadersFor = (url: URL, reason?: RequestReason) => string[]

/** Makes headers: the same for all, and what belongs to one host or one page. @throws {CrawlError} CONFIG_INVALID for credentials that are none */
export function createRequestHeaders(config: HttpConfig): HeadersFor {
  const common = ['User-Agent', headerText(userAgentOf(config)), 'Accept', config.accept]
  if (config.acceptLanguage !== '') common.push('Accept-Language', config.acceptLanguage)
  if (config.acceptCharset !== '') common.push('Accept-Charset', config.acceptCharset)
  common.push('Accept-Encoding', acceptEncoding)
  const authorize = basicCredentials(config.basicAuth)
  return (url, { datum, startOrigin } = {}) => {
    const headers = [...common]
    const authorization = authorize(url, startOrigin)
    if (authorization !== undefined) headers.push('Authorization', authorization)
    if (datum !== undefined && config.sendsConditional) addValidators(headers, datum)
    return headers
  }
}

/** If-None-Match and If-Modified-Since (RFC 9110 §13.1) for a page whose content is known. */
function addValidators(headers: string[], { status, metadata, modifiedTimeMs, signature }: CrawlDatum): void {
  if ((status !== 'db_fetched' && status !== 'db_notmodified' && status !== 'db_duplicate') || signature === undefined) return
  const etag = metadata[metadataKeys.etag] ?? ''
  if (etag !== '') headers.push('If-None-Match', headerText(etag))
  const lastModified = metadata[metadataKeys.lastModified] ?? ''
  if (lastModified !== '') headers.push('If-Modified-Since', headerText(lastModified))
  else if (etag === '' && modifiedTimeMs > 0) headers.push('If-Modified-Since', formatHttpDate(modifiedTimeMs))
}

/** No control characters, and nothing that one byte cannot hold: what stands in a header must not end it. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ').trim()
}

/** Whether these headers ask for the page only if it has changed. */
export function isConditional(headers: readonly string[]): boolean {
  return headers.includes('If-None-Match') || headers.includes('If-Modified-Since')
}
