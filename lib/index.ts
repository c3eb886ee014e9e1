/**
 * The library: records and their line format, stages to put between stages of your own, the pure rules behind them, and the CrawlDb.
 * What is exported here keeps to the major version; everything else may change.
 */
export type { Config } from './config/options.js'
export { configWith, resolveConfig } from './config/resolve-config.js'
export type { CrawlDb } from './crawldb/crawl-db.js'
export { type OpenCrawlDbOptions, withCrawlDb } from './crawldb/open.js'
export { CrawlError, type CrawlErrorCode } from './errors/crawl-error.js'
export { type FetchPagesOptions, fetchPages } from './fetch/fetch-pages.js'
export { createHttpClient, type HttpClient } from './fetch/http-client.js'
export { createPageFetcher, type PageFetcher } from './fetch/page-fetcher.js'
export type { FieldValue, IndexDocument, IndexedPage } from './index/document.js'
export type { IndexingFilter } from './index/indexing-filter.js'
export { type Clock, ManualClock, systemClock } from './log/clock.js'
export { Counters } from './log/counters.js'
export { type Logger, silentLogger } from './log/logger.js'
export type { PageInput, PageLink, PageParse } from './parse/page.js'
export type { PageObserver, ParseFilter } from './parse/parse-filter.js'
export { parsePage } from './parse/parse-page.js'
export {
  type NormalizerPlugin,
  type PluginSetup,
  pluginApiVersion,
  type StagePlugin,
  type UrlFilterPlugin,
} from './plugin/plugin-points.js'
export { datumFromJson, datumToLine } from './record/datum-json.js'
export type { FetchedPage, HttpExchange } from './record/exchange.js'
export { formatLine, type KeyedLine, parseLine } from './record/line-format.js'
export type { Metadata } from './record/metadata.js'
export type { CrawlDatum, DbDatum, FetchItem, FetchOutcome, Link, Outlink, Parse } from './record/records.js'
export type { DbStatus, FetchStatus, Status } from './record/status.js'
export type { Url } from './record/url.js'
export { RobotsRules } from './robots/robots-rules.js'
export type { DistributedPage, LinkContribution, ScoreUpdate, ScoringFilter } from './score/scoring-filter.js'
export { batchRecords } from './stream/batch.js'
export { chain, type Step } from './stream/chain.js'
export { type Line, type SplitLinesOptions, splitLines } from './stream/split-lines.js'
export { flatMapRecords, mapRecords, type Stage, type StageOptions, tapRecords } from './stream/stage.js'
export { normalizeUrl, tryNormalizeUrl } from './url/normalize-url.js'
export { filterUrls, normalizeUrls, type UrlStageOptions } from './url/url-stages.js'
export { readWarcFile } from './warc/read-warc.js'
