import type { Config } from '../lib/config/options.js'
import { chooseRepresentative } from '../lib/fetch/representative-url.js'
import { agentNamesOf } from '../lib/fetch/request-headers.js'
import type { PageInput, PageParse } from '../lib/parse/page.js'
import { parsePage } from '../lib/parse/parse-page.js'
import { noDirectives } from '../lib/parse/robots-directives.js'
import { type OutlinkRules, selectOutlinks } from '../lib/parse/select-outlinks.js'
import { parseMetadataKeys, toParse } from '../lib/parse/to-parse.js'
import type { EncodedRecords } from '../lib/record/encoded-records.js'
import type { HttpExchange } from '../lib/record/exchange.js'
import type { DbDatum, Link, Parse } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import type { Scoring } from '../lib/score/create-scoring.js'
import { type EncodedParse, encodeParse } from '../lib/segment/encode-parse.js'
import { signatureOf } from '../lib/signature/signature-of.js'
import { tryNormalizeUrl } from '../lib/url/normalize-url.js'
import { encodeExchanges } from '../lib/warc/encode-exchange.js'
import { contentTypeOf, parseHttpHead } from '../lib/warc/http-head.js'
import { pageMetadata } from '../lib/warc/page-metadata.js'
import type { EarlierCapture } from '../lib/warc/revisit-fields.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import { noPlugins, type Plugins } from './plugins.js'
import { withRepresentative } from './redirect-links.js'

/** A refresh that is quicker is a temporary redirect (Nutch's PERM_REFRESH_TIME). */
const permanentRefreshMs = 5000

/** What is to be done with one fetched page: plain data, so that a worker thread can do it. */
export interface PageTask {
  readonly url: Url
  readonly datum: DbDatum
  /** To be written as WARC records; the page's own last. Empty if they are stored already. */
  readonly exchanges: readonly HttpExchange[]
  /** An earlier capture with the same payload, if the page is known not to have changed. */
  readonly revisitOf?: EarlierCapture
  /** To be parsed; absent if the page is not to be parsed now. */
  readonly page?: PageInput
}

export interface PageResult {
  readonly records?: EncodedRecords
  readonly parse?: EncodedParse
  /** By stable name, for the counters. */
  readonly counts: Readonly<Record<string, number>>
}

export interface PageWorkParts {
  readonly config: Config
  readonly rules: CrawlUrlRules
  readonly scoring: Scoring
  /** Whose parse filters see the pages. @defaultValue none */
  readonly plugins?: Plugins
}

/** Encodes and parses pages. Pure and synchronous: the same page gives the same result in any thread. */
export class PageWork {
  readonly #outlinkRules: OutlinkRules

  constructor(readonly parts: PageWorkParts) {
    const { config, rules } = parts
    const { normalizesUrls, filtersUrls } = config.parse
    this.#outlinkRules = {
      link: config.link,
      normalize: raw => (normalizesUrls ? rules.normalize(raw, 'outlink') : tryNormalizeUrl(raw)), // as it must be to be a record's URL at all
      accepts: target => !filtersUrls || rules.accepts(target),
      isExempt: (_from, target) => rules.isExempt(target),
    }
  }

  run(task: PageTask): PageResult {
    const { config } = this.parts
    const counts: Record<string, number> = {}
    const parsed = task.page === undefined ? undefined : this.parse(task.url, task.datum, task.page, counts)
    const parse = parsed && encodeParse(parsed.parse, parsed.links, { storesText: config.parse.storesText })
    if (task.exchanges.length === 0) return { ...(parse === undefined ? {} : { parse }), counts }
    const { gzipLevel, keepsRequests, keepsMetadata } = config.segment
    const records = encodeExchanges(task.exchanges, {
      gzipLevel,
      keepsRequest: keepsRequests,
      ...(task.revisitOf === undefined ? {} : { revisitOf: task.revisitOf }),
      ...(keepsMetadata ? { metadata: pageMetadata(task.exchanges, parsed?.parse.metadata[parseMetadataKeys.charset]) } : {}),
    })
    return { records, ...(parse === undefined ? {} : { parse }), counts }
  }

  /** The parse of a page and what its links contribute. */
  parse(url: Url, datum: DbDatum, input: PageInput, counts: Record<string, number> = {}): { readonly parse: Parse; readonly links: readonly Link[] } {
    const { config, scoring, plugins = noPlugins } = this.parts
    const page = parsePage(input, { ...config.parse, agentNames: agentNamesOf(config.http), filters: plugins.parseFilters })
    const selected = selectOutlinks(page, url, this.#outlinkRules)
    const signature = signatureOf({ url, bytes: input.bytes, text: page.text }, config.signature)
    const parse = toParse(page, url, selected.outlinks, signature)
    const links = scoring.distribute({
      from: datum,
      parseMetadata: parse.metadata,
      extractedCount: selected.extractedCount,
      links: selected.outlinks,
    })
    links.push(...this.#refreshTarget(datum, page, this.#outlinkRules))
    counts[`parse/${page.status}`] = 1
    counts['parse/outlinks'] = selected.outlinks.length
    for (const [why, count] of Object.entries(selected.dropped)) counts[`parse/outlinks_${why}`] = count
    if (page.status !== 'success') counts[`parse/${page.status}/${page.mediaType}`] = 1
    return { parse, links }
  }

  /** The target of a meta refresh or Refresh header, which the CrawlDb learns of as of a link without score, with the URL that represents both
   *  (Nutch's ParseOutputFormat). */
  #refreshTarget(datum: DbDatum, { refresh, metadata }: PageParse, rules: OutlinkRules): Link[] {
    if (refresh === undefined) return []
    const target = { url: refresh.url, anchor: '', rel: '', element: 'meta' }
    const { outlinks } = selectOutlinks({ links: [target], robots: noDirectives }, datum.url, rules)
    const links = this.parts.scoring.distribute({ from: { ...datum, score: 0 }, parseMetadata: metadata, extractedCount: 1, links: outlinks })
    return links.map(link => {
      const representative = chooseRepresentative(datum.url, link.to, refresh.delayMs < permanentRefreshMs)
      return { ...link, metadata: withRepresentative(link.metadata, link.to, representative) }
    })
  }
}

/** The page of an exchange as the parser takes it. @param isTruncated whether anything of it is missing, be it that its packed body came whole */
export function pageInputOf(exchange: HttpExchange, isTruncated: boolean): PageInput {
  const { fields } = parseHttpHead(exchange.responseHead)
  const contentType = contentTypeOf(fields)
  return {
    url: exchange.url,
    bytes: exchange.payload,
    headers: fields,
    ...(contentType === undefined ? {} : { contentType }),
    ...(isTruncated ? { isTruncated } : {}),
  }
}
