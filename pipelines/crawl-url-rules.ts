import type { Config } from '../lib/config/options.js'
import type { UrlScope } from '../lib/config/url-options.js'
import type { Counters } from '../lib/log/counters.js'
import { type Logger, silentLogger } from '../lib/log/logger.js'
import type { Url } from '../lib/record/url.js'
import { tryNormalizeUrl } from '../lib/url/normalize-url.js'
import type { ReadRules } from '../lib/url/rule-sources.js'
import { createTrapWatch } from '../lib/url/traps/trap-watch.js'
import { compileExemptions, compileFilters, type UrlFilters } from '../lib/url/url-filters.js'
import { compileNormalizers, type UrlNormalizers } from '../lib/url/url-normalizers.js'
import { configHash } from './config-hash.js'
import { noPlugins, type Plugins } from './plugins.js'
import { ruleReader } from './url-rules.js'

/** The normalizers and filters of a crawl, compiled, with the files that the configuration names. */
export interface CrawlUrlRules {
  readonly normalizers: UrlNormalizers
  readonly filters: UrlFilters
  /** The URL of the crawl that a raw one is, or undefined if it is none. */
  normalize(raw: string, scope: UrlScope): Url | undefined
  accepts(url: string): boolean
  /** The form of a URL by which generate counts its host, or deals it out to lists; undefined where that scope has no rules of its own: what the db holds
   *  is in the form of the others. */
  formIn(scope: 'generate_host_count' | 'partition'): ((url: string) => string) | undefined
  /** Normalizes in `scope` and filters: undefined if the URL is none, or rejected. */
  keepLink(scope: UrlScope): (url: string) => Url | undefined
  /** Whether an external link is let through where those are ignored. */
  isExempt(target: string): boolean
  /** Changes when rules or rule files do. */
  readonly fingerprint: string
}

export interface CrawlUrlRulesOptions {
  /** @defaultValue true */
  readonly isFiltering?: boolean
  /** Without it only what is no URL at all is refused, and the rest made canonical. @defaultValue true */
  readonly isNormalizing?: boolean
  /** Where URLs that look like crawler traps are counted, as `trap/<sign>`. */
  readonly trapCounters?: Counters
  readonly log?: Logger
  /** Whose normalizers and filters run with those of the configuration. */
  readonly plugins?: Plugins
}

/** @throws {CrawlError} URL_RULE_INVALID with file and line, CONFIG_INVALID */
export function createUrlRules(config: Config, options: CrawlUrlRulesOptions = {}): CrawlUrlRules {
  const { isFiltering = true, isNormalizing = true, log = silentLogger, plugins = noPlugins } = options
  const texts: string[] = []
  const reader = ruleReader(log)
  const readRules: ReadRules = source => {
    const file = reader(source)
    texts.push(file.text)
    return file
  }
  const normalizers = compileNormalizers(config.url, readRules, { extra: plugins.normalizers })
  const filters = compileFilters(config.url, readRules, isFiltering ? undefined : [], plugins.urlFilters)
  const watch = options.trapCounters === undefined ? undefined : createTrapWatch(config.url, options.trapCounters, false)
  const isExempt = compileExemptions(config.url, readRules)
  const normalize = (raw: string, scope: UrlScope): Url | undefined => (isNormalizing ? normalizers.tryNormalize(raw, scope) : tryNormalizeUrl(raw))
  return {
    normalizers,
    filters,
    normalize,
    accepts: url => filters.accepts(url) && (watch?.admits(url) ?? true),
    formIn: scope => (hasOwnRules(config.url, scope) ? url => normalizers.tryNormalize(url, scope) ?? url : undefined),
    keepLink: scope => url => {
      const normalized = normalize(url, scope)
      return normalized !== undefined && filters.accepts(normalized) ? normalized : undefined
    },
    isExempt,
    fingerprint: configHash(config.url, texts, isFiltering, isNormalizing, ...namesOf(plugins)),
  }
}

function hasOwnRules(config: Config['url'], scope: UrlScope): boolean {
  return config[`chain_${scope}`].length + config[`order_${scope}`].length + config[`regexFile_${scope}`].length > 0
}

/** The text of a plugin does not count: a job that met a fault in one can go on when it is mended. */
function namesOf({ normalizers, urlFilters }: Plugins): string[] {
  return [...normalizers, ...urlFilters].map(({ name }) => name)
}
