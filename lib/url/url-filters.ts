import type { UrlConfig } from '../config/url-options.js'
import { messageOf } from '../errors/crawl-error.js'
import { builtIn, type Decision, type RuleRef, type Step, stepOf } from '../explain/decision.js'
import { type FilterName, readFilterChain } from './chain-names.js'
import { compileAutomatonFilter } from './filters/automaton-filter.js'
import { compileDomainDenylistFilter, compileDomainFilter } from './filters/domain-filter.js'
import { compileFastFilter } from './filters/fast-filter.js'
import { compilePrefixFilter } from './filters/prefix-filter.js'
import { compileRegexFilter } from './filters/regex-filter.js'
import { compileSuffixFilter } from './filters/suffix-filter.js'
import type { UrlFilter, Verdict } from './filters/url-filter.js'
import { validatorFilter } from './filters/validator-filter.js'
import type { RuleFile } from './rule-file.js'
import { exemptionsSource, filterSource, noRuleFile, type ReadRules } from './rule-sources.js'
import { trapFilter } from './traps/trap-watch.js'

/** A chain of filters: a URL passes if every one accepts it. An error in a filter rejects. */
export interface UrlFilters {
  readonly filters: readonly UrlFilter[]
  accepts(url: string): boolean
  /** Why a URL is rejected: the rule, and whether the filter failed instead of deciding; undefined if it is accepted. */
  rejection(url: string): Rejection | undefined
  explain(url: string): Decision
}

export interface Rejection extends Verdict {
  readonly filter: string
  readonly isError: boolean
}

/** Compiles the filters of `urlfilter.order` (and, where traps are held back, the part of the trap watch that needs no memory), or those of `chain`.
 *  Of `extra`, those that the order does not name come last; a chain has only those that it names.
 *  @throws {CrawlError} URL_RULE_INVALID with file and line, CONFIG_INVALID for an unknown filter or a file that cannot be read */
export function compileFilters(config: UrlConfig, readRules: ReadRules, chain?: readonly string[], extra: readonly UrlFilter[] = []): UrlFilters {
  const extraNames = extra.map(({ name }) => name)
  const named = readFilterChain(chain ?? config.filters, extraNames)
  const names = chain === undefined ? [...named, ...extraNames.filter(name => !named.includes(name))] : named
  const filters = names.map(name => extra.find(known => known.name === name) ?? compileFilter(name as FilterName, config, readRules)) // no third kind
  return chainFilters(chain === undefined && config.trapAction === 'hold' ? [...filters, trapFilter(config)] : filters)
}

function compileFilter(name: FilterName, config: UrlConfig, readRules: ReadRules): UrlFilter {
  const source = filterSource(name, config)
  const file: RuleFile = source === undefined ? noRuleFile : readRules(source)
  switch (name) {
    case 'regex':
      return compileRegexFilter(file, config.regexStepLimit)
    case 'automaton':
      return compileAutomatonFilter(file)
    case 'prefix':
      return compilePrefixFilter(file)
    case 'suffix':
      return compileSuffixFilter(file)
    case 'domain':
      return compileDomainFilter(file)
    case 'domaindenylist':
      return compileDomainDenylistFilter(file)
    case 'fast': {
      const limits = { urlMaxLength: config.fastUrlMaxLength, pathMaxLength: config.fastPathMaxLength, queryMaxLength: config.fastQueryMaxLength }
      return compileFastFilter(file, limits, config.regexStepLimit)
    }
    case 'validator':
      return validatorFilter
  }
}

/** Puts filters into one chain: the compiled ones, and those of plugins. */
export function chainFilters(filters: readonly UrlFilter[]): UrlFilters {
  const accepts = (url: string): boolean => {
    try {
      for (const filter of filters) if (!filter.accepts(url)) return false
      return true
    } catch {
      return false // `rejection` tells the error
    }
  }
  const rejection = (url: string): Rejection | undefined => {
    for (const filter of filters) {
      const verdict = verdictOf(filter, url)
      if (!verdict.accepted) return verdict
    }
    return undefined
  }
  return { filters, accepts, rejection, explain: url => explainChain(filters, url) }
}

function verdictOf(filter: UrlFilter, url: string): Rejection {
  try {
    const verdict = filter.verdict(url)
    return { ...verdict, filter: filter.name, isError: isUndecided(verdict) }
  } catch (error) {
    const by = { rule: filter.name, file: builtIn, line: 0 }
    return { accepted: false, by, reason: messageOf(error), filter: filter.name, isError: true }
  }
}

function isUndecided({ accepted, by, reason, isDecided }: Verdict): boolean {
  return !accepted && reason !== undefined && by.file !== builtIn && isDecided !== true
}

function explainChain(filters: readonly UrlFilter[], url: string): Decision {
  const passedBy: RuleRef[] = []
  for (const filter of filters) {
    const { accepted, by, reason } = verdictOf(filter, url)
    const step: Step = stepOf(by, url, null, reason)
    if (!accepted) return { accepted, url: null, steps: [step], passedBy }
    passedBy.push({ rule: by.rule, file: by.file, line: by.line })
  }
  return { accepted: true, url, steps: [], passedBy }
}

/**
 * Whether a link that leaves its site is let through all the same (Nutch's ExemptionUrlFilter): its target passes the rules. None exempts without
 * rules.
 */
export function compileExemptions(config: UrlConfig, readRules: ReadRules): (targetUrl: string) => boolean {
  const source = exemptionsSource(config)
  if (source.kind === 'none') return () => false
  const exemptions = chainFilters([compileRegexFilter(readRules(source), config.regexStepLimit)])
  return targetUrl => exemptions.accepts(targetUrl)
}
