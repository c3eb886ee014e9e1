import type { Config } from '../config/options.js'
import type { UrlScope } from '../config/url-options.js'
import type { KeyedLine } from '../record/line-format.js'
import type { Metadata } from '../record/metadata.js'
import type { ScoringFilter } from '../score/scoring-filter.js'

/** What a plugin module exports as `apiVersion`. Changes only when a module that was written for it would not work any more. */
export const pluginApiVersion = 1

/** What can be extended: a module exports any of these, each as an object, a list of objects, or a function of `PluginSetup` that gives them. */
export const pointNames = ['normalizer', 'urlFilter', 'scoring', 'parseFilter', 'indexingFilter', 'stage'] as const
export type PointName = (typeof pointNames)[number]

/** What a module's functions are given when it is loaded. */
export interface PluginSetup {
  /** The whole configuration. */
  readonly config: Config
  /** `millrace.plugin.options`: `name=value`, by name. */
  readonly options: Metadata
}

/** Changes or refuses URLs (Nutch's URLNormalizer). Runs behind the built-in ones unless `urlnormalizer.order` says otherwise. Pure. */
export interface NormalizerPlugin {
  readonly name: string
  /** @defaultValue all scopes */
  readonly scopes?: readonly UrlScope[]
  /** The changed URL, the same one, or undefined if it is none. If it throws, the URL is rejected and counted. */
  normalize(url: string, scope: UrlScope): string | undefined
}

/** Accepts or rejects normalized URLs (Nutch's URLFilter). Runs behind the built-in ones unless `urlfilter.order` says otherwise. Pure. */
export interface UrlFilterPlugin {
  readonly name: string
  /** If it throws, the URL is rejected and counted; a record of the CrawlDb is never removed for it. */
  accepts(url: string): boolean
  /** Why a URL is rejected, for `explain`. */
  reason?(url: string): string
}

/** A stage for `millrace stage NAME`. A line that is a URL or a seed comes as its injected record. */
export interface StagePlugin {
  readonly name: string
  /** One line for people: what it does. */
  readonly text?: string
  /** Takes keyed lines and gives keyed lines, as many as it likes. If it throws, the stage fails. */
  run(lines: AsyncIterable<KeyedLine>): AsyncIterable<KeyedLine>
}

/** The points by name. Parse filters and indexing filters are typed by those who call them. */
export interface PluginPoints<ParseFilter extends NamedPlugin, IndexingFilter extends NamedPlugin> {
  readonly normalizer: NormalizerPlugin
  readonly urlFilter: UrlFilterPlugin
  readonly scoring: ScoringFilter
  readonly parseFilter: ParseFilter
  readonly indexingFilter: IndexingFilter
  readonly stage: StagePlugin
}

export interface NamedPlugin {
  /** Letters, digits, `.`, `_` and `-`; the same name stands once for each point. */
  readonly name: string
}

/** One plugin of a module. */
export interface LoadedPlugin<Plugin extends NamedPlugin = NamedPlugin> {
  readonly point: PointName
  /** File of the module. */
  readonly module: string
  /** Digest of the module's text. */
  readonly digest: string
  readonly plugin: Plugin
}
