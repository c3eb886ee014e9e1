import type { Config } from '../lib/config/options.js'
import { CrawlError } from '../lib/errors/crawl-error.js'
import type { IndexingFilter } from '../lib/index/indexing-filter.js'
import type { ParseFilter } from '../lib/parse/parse-filter.js'
import { guardScoring } from '../lib/plugin/guard-scoring.js'
import { loadModules } from '../lib/plugin/load-modules.js'
import type { ReportFailure } from '../lib/plugin/plugin-failure.js'
import type { LoadedPlugin, PluginPoints, PointName } from '../lib/plugin/plugin-points.js'
import { checkNames } from '../lib/plugin/read-module.js'
import { toNormalizer, toUrlFilter } from '../lib/plugin/url-plugins.js'
import { scoringNames } from '../lib/score/create-scoring.js'
import type { ScoringFilter } from '../lib/score/scoring-filter.js'
import { filterNames, normalizerNames } from '../lib/url/chain-names.js'
import type { UrlFilter } from '../lib/url/filters/url-filter.js'
import type { ExtraNormalizer } from '../lib/url/normalizers/url-normalizer.js'
import { guardParseFilter } from './guard-parse-filter.js'

/** The points as this program calls them. */
type Points = PluginPoints<ParseFilter, IndexingFilter>

/** The plugins of a configuration, ready for those who call them. */
export interface Plugins {
  readonly loaded: readonly LoadedPlugin[]
  readonly normalizers: readonly ExtraNormalizer[]
  readonly urlFilters: readonly UrlFilter[]
  readonly scoring: readonly ScoringFilter[]
  readonly parseFilters: readonly ParseFilter[]
  readonly indexingFilters: readonly LoadedPlugin<IndexingFilter>[]
  readonly stages: readonly LoadedPlugin<Points['stage']>[]
  /** Told of failures that do not end the job. */
  readonly report: ReportFailure
}

export const noPlugins: Plugins = bindPlugins([], () => undefined)

/** What stages have names already. */
const stageNames = ['fetch', 'parse', 'dedup', 'invertlinks']

/** Loads the modules of `millrace.plugins`, seen from the working folder. @throws {CrawlError} PLUGIN_INVALID, CONFIG_INVALID */
export async function loadPlugins(config: Config, report: ReportFailure): Promise<Plugins> {
  const { plugins, pluginOptions } = config.crawl
  if (plugins.length === 0) return { ...noPlugins, report }
  const loaded = await loadModules(plugins, process.cwd(), { config, options: readOptions(pluginOptions) })
  checkNames(loaded, { normalizer: normalizerNames, urlFilter: filterNames, scoring: scoringNames, stage: stageNames })
  return bindPlugins(loaded, report)
}

function bindPlugins(loaded: readonly LoadedPlugin[], report: ReportFailure): Plugins {
  return {
    loaded,
    normalizers: ofPoint(loaded, 'normalizer').map(one => toNormalizer(one, report)),
    urlFilters: ofPoint(loaded, 'urlFilter').map(one => toUrlFilter(one, report)),
    scoring: ofPoint(loaded, 'scoring').map(guardScoring),
    parseFilters: ofPoint(loaded, 'parseFilter').map(one => guardParseFilter(one, report)),
    indexingFilters: ofPoint(loaded, 'indexingFilter'),
    stages: ofPoint(loaded, 'stage'),
    report,
  }
}

function ofPoint<Point extends PointName>(loaded: readonly LoadedPlugin[], point: Point): LoadedPlugin<Points[Point]>[] {
  return loaded.filter(one => one.point === point) as LoadedPlugin<Points[Point]>[] // readModule looked for the point's functions
}

function readOptions(pairs: readonly string[]): Record<string, string> {
  const options: Record<string, string> = {}
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals <= 0) throw new CrawlError('CONFIG_INVALID', `millrace.plugin.options: ${pair}: name=value is wanted`)
    options[pair.slice(0, equals).trim()] = pair.slice(equals + 1).trim()
  }
  return options
}
