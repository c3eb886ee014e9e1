import type { Config } from '../lib/config/options.js'
import { CrawlError } from '../lib/errors/crawl-error.js'
import { createHttpClient } from '../lib/fetch/http-client.js'
import { agentNamesOf, createRequestHeaders } from '../lib/fetch/request-headers.js'
import type { Clock } from '../lib/log/clock.js'
import type { PageInput, PageParse } from '../lib/parse/page.js'
import { parsePage } from '../lib/parse/parse-page.js'
import type { HttpExchange } from '../lib/record/exchange.js'
import { toHex } from '../lib/record/json-fields.js'
import { signatureOf } from '../lib/signature/signature-of.js'
import { headerUrlText } from '../lib/url/header-url.js'
import { pageInputOf } from './page-work.js'
import { noPlugins, type Plugins } from './plugins.js'

/** Parses one page with the whole configuration and its plugins. */
export function checkPage(page: PageInput, config: Config, { parseFilters }: Pick<Plugins, 'parseFilters'> = noPlugins): PageParse {
  return parsePage(page, { ...config.parse, agentNames: agentNamesOf(config.http), filters: parseFilters })
}

/** What `parse-page` prints of a page: all that was read, with every link as the page gives it. */
export function pageReport(page: PageInput, parse: PageParse, config: Config): Record<string, unknown> {
  const { url, status, cause, title, text, lang, charset, charsetSource, base, robots, metadata } = parse
  return {
    url,
    status,
    ...(cause === undefined ? {} : { cause }),
    type: parse.mediaType,
    title,
    text,
    lang,
    charset,
    charsetSource,
    base,
    canonical: parse.canonical ?? null,
    alternates: parse.alternates,
    robots,
    refresh: parse.refresh ?? null,
    headings: parse.headings,
    outlinks: parse.links,
    linkCounts: parse.linkCounts,
    metadata,
    signature: toHex(signatureOf({ url, bytes: page.bytes, text }, config.signature)),
  }
}

export interface FetchedPage extends PageInput {
  readonly httpStatus: number
}

export interface FetchOneJob {
  readonly config: Config
  readonly clock: Clock
  readonly signal: AbortSignal
}

const maxRedirects = 5

/** Fetches one page, following redirects, for a check by hand: no queue, no robots.txt, but the address guard stands.
 *  @throws {CrawlError} URL_INVALID, IO_FAILED if there is no answer */
export async function fetchOnePage(url: string, { config, clock, signal }: FetchOneJob): Promise<FetchedPage> {
  const client = createHttpClient({ config: config.http, clock })
  const headersFor = createRequestHeaders(config.http)
  try {
    let target = absoluteUrl(url)
    const startOrigin = target.origin
    for (let hops = 0; ; hops++) {
      const result = await client.get({ url: target, kind: 'page', headers: headersFor(target, { startOrigin }) }, signal)
      if (!result.isAnswer) throw new CrawlError('IO_FAILED', `${target.origin}${target.pathname}${target.search}: ${result.failure.message}`)
      const location = result.status >= 300 && result.status < 400 ? locationOf(result.exchange) : undefined
      if (location === undefined || hops >= maxRedirects)
        return { ...pageInputOf(result.exchange, result.truncated !== undefined), httpStatus: result.status }
      target = absoluteUrl(headerUrlText(location), target.href)
    }
  } finally {
    client.close()
  }
}

function locationOf(exchange: HttpExchange): string | undefined {
  return pageInputOf(exchange, false).headers?.find(([name]) => name.toLowerCase() === 'location')?.[1]
}

/** @throws {CrawlError} URL_INVALID */
function absoluteUrl(text: string, base?: string): URL {
  try {
    return new URL(text, base)
  } catch (cause) {
    throw new CrawlError('URL_INVALID', `${text} is no absolute URL`, { cause })
  }
}
