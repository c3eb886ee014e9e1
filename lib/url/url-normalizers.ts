import { type UrlConfig, type UrlScope, urlScopes } from '../config/url-options.js'
import type { Decision } from '../explain/decision.js'
import type { Url } from '../record/url.js'
import { type NormalizerName, readNormalizerChain } from './chain-names.js'
import { explainChain, type NormalizeResult, type NormalizerChain, runChain } from './normalizer-chain.js'
import { ajaxNormalizer } from './normalizers/ajax-normalizer.js'
import { basicNormalizer } from './normalizers/basic-normalizer.js'
import { hostNormalizer, protocolNormalizer, type RuleWarning, slashNormalizer } from './normalizers/host-rule-normalizers.js'
import { queryStringNormalizer } from './normalizers/query-string-normalizer.js'
import { regexNormalizer } from './normalizers/regex-normalizer.js'
import type { ExtraNormalizer, UrlNormalizer } from './normalizers/url-normalizer.js'
import { normalizerSource, type ReadRules } from './rule-sources.js'

export type { NormalizeResult } from './normalizer-chain.js'

/** The normalizers of all scopes. */
export interface UrlNormalizers {
  /** @param scope where the URL comes from; @defaultValue 'default' */
  normalize(raw: string, scope?: UrlScope): NormalizeResult
  /** As `normalize`, with undefined for what is no URL. */
  tryNormalize(raw: string, scope?: UrlScope): Url | undefined
  /** The same decision with each step that changed or rejected. */
  explain(raw: string, scope?: UrlScope): Decision
  /** Lines of rule files that were left out. */
  readonly warnings: readonly RuleWarning[]
}

export interface CompileNormalizersOptions {
  /** Runs these in every scope in place of the configured ones, and gives what they give: the outcome need not be a URL that can be crawled. */
  readonly chain?: readonly string[]
  /** Normalizers of plugins: those that no list names come last in every chain that is configured. */
  readonly extra?: readonly ExtraNormalizer[]
}

/** Compiles the chain of each scope.
 *  @throws {CrawlError} URL_RULE_INVALID with file and line, CONFIG_INVALID for an unknown normalizer or a file that cannot be read */
export function compileNormalizers(config: UrlConfig, readRules: ReadRules, options: CompileNormalizersOptions = {}): UrlNormalizers {
  const warnings: RuleWarning[] = []
  const known = new Map<string, UrlNormalizer>()
  const chains = new Map<UrlScope, NormalizerChain>()
  for (const scope of urlScopes) {
    const { chain, extra = [] } = options
    const isChecked = chain === undefined
    const extraNames = extra.map(({ name }) => name)
    const names = isChecked ? chainOf(config, scope, extraNames) : readNormalizerChain(chain, extraNames)
    const normalizers = names.flatMap(name => {
      const added = extra.find(plugin => plugin.name === name)
      if (added !== undefined) return added.forScope(scope) ?? []
      return [compileOnce(known, name as NormalizerName, { config, scope, isChecked, readRules, warnings })] // no third kind
    })
    chains.set(scope, { normalizers, loopCount: config.loopCount, isChecked })
  }
  const chainFor = (scope: UrlScope): NormalizerChain => chains.get(scope) as NormalizerChain // every scope is set above
  const normalize = (raw: string, scope: UrlScope = 'default'): NormalizeResult => runChain(chainFor(scope), raw)
  return {
    normalize,
    tryNormalize: (raw, scope) => {
      const result = normalize(raw, scope)
      return 'url' in result ? result.url : undefined
    },
    explain: (raw, scope = 'default') => explainChain(chainFor(scope), raw),
    warnings,
  }
}

/** The chain of a scope: its own list, else the common one, and the `extra` ones it does not name; those that its order names come first. */
function chainOf(config: UrlConfig, scope: UrlScope, extra: readonly string[]): string[] {
  const own = readNormalizerChain(config[`chain_${scope}`], extra)
  const listed = own.length > 0 ? own : readNormalizerChain(config.normalizers, extra)
  const names = [...listed, ...extra.filter(name => !listed.includes(name))]
  const first = readNormalizerChain(config[`order_${scope}`], extra).filter(name => names.includes(name))
  return [...first, ...names.filter(name => !first.includes(name))]
}

interface CompileContext {
  readonly config: UrlConfig
  readonly scope: UrlScope
  readonly isChecked: boolean
  readonly readRules: ReadRules
  readonly warnings: RuleWarning[]
}

/** Scopes share what does not depend on them. */
function compileOnce(known: Map<string, UrlNormalizer>, name: NormalizerName, context: CompileContext): UrlNormalizer {
  const { config, scope } = context
  const source = name === 'regex' || name === 'host' || name === 'slash' || name === 'protocol' ? normalizerSource(name, config, scope) : undefined
  const key = `${name} ${name === 'ajax' ? scope : ''} ${JSON.stringify(source)}`
  const normalizer = known.get(key) ?? compileNormalizer(name, context)
  known.set(key, normalizer)
  return normalizer
}

function compileNormalizer(name: NormalizerName, { config, scope, isChecked, readRules, warnings }: CompileContext): UrlNormalizer {
  switch (name) {
    case 'basic': {
      const options = { idn: config.hostIdn, idna2008: config.hostIdna2008, trimTrailingDot: config.trimTrailingDot }
      return basicNormalizer(options, !isChecked)
    }
    case 'regex':
      return regexNormalizer(readRules(normalizerSource(name, config, scope)), config.regexStepLimit)
    case 'querystring':
      return queryStringNormalizer
    case 'slash':
      return slashNormalizer(readRules(normalizerSource(name, config, scope)), warnings)
    case 'host':
      return hostNormalizer(readRules(normalizerSource(name, config, scope)), warnings)
    case 'protocol':
      return protocolNormalizer(readRules(normalizerSource(name, config, scope)), warnings)
    case 'ajax':
      return ajaxNormalizer(scope)
    case 'pass':
      return { name, apply: url => url, explain: url => ({ url, steps: [] }) }
  }
}
