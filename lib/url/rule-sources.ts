import type { UrlConfig, UrlScope } from '../config/url-options.js'
import type { FilterName } from './chain-names.js'
import type { RuleFile } from './rule-file.js'

/** Where the rules of one plugin come from: text of an option, a file, or the file that is shipped; without any of them there are none. */
export type RuleSource =
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  /** `mayBeMissing`: a file that is not there is reported, and stands for no rules (as Nutch does for some plugins). */
  | { readonly kind: 'file'; readonly path: string; readonly mayBeMissing: boolean }
  | { readonly kind: 'shipped'; readonly path: string }
  | { readonly kind: 'none' }

/** Reads the rules of a source. The one place where rule files are read is behind this. @throws {CrawlError} CONFIG_INVALID */
export type ReadRules = (source: RuleSource) => RuleFile

export const noRuleFile: RuleFile = { name: '', text: '' }

/** The rules of a filter, or undefined for one that has none. */
export function filterSource(name: FilterName, config: UrlConfig): RuleSource | undefined {
  switch (name) {
    case 'regex':
      return sourceOf('urlfilter.regex.rules', config.regexRules, config.regexFile, 'regex-urlfilter.txt')
    case 'automaton':
      return sourceOf('urlfilter.automaton.rules', config.automatonRules, config.automatonFile, 'automaton-urlfilter.txt')
    case 'prefix':
      return sourceOf('urlfilter.prefix.rules', config.prefixRules, config.prefixFile, 'prefix-urlfilter.txt')
    case 'suffix':
      return sourceOf('urlfilter.suffix.rules', config.suffixRules, config.suffixFile, 'suffix-urlfilter.txt')
    case 'domain':
      return sourceOf('urlfilter.domain.rules', config.domainRules, config.domainFile, undefined, true)
    case 'domaindenylist':
      return sourceOf('urlfilter.domaindenylist.rules', config.domainDenylistRules, config.domainDenylistFile, undefined, true)
    case 'fast':
      return sourceOf('', '', config.fastFile, 'fast-urlfilter.txt')
    case 'validator':
      return undefined
  }
}

/** The rules of the normalizers that have files. */
export function normalizerSource(name: 'regex' | 'host' | 'slash' | 'protocol', config: UrlConfig, scope: UrlScope): RuleSource {
  switch (name) {
    case 'regex':
      return sourceOf('', '', config[`regexFile_${scope}`] || config.normalizeFile, 'regex-normalize.xml')
    case 'host':
      return sourceOf('', '', config.hostsFile)
    case 'slash':
      return sourceOf('', '', config.slashesFile)
    case 'protocol':
      return sourceOf('urlnormalizer.protocols.rules', config.protocolsRules, config.protocolsFile)
  }
}

/** The rules of links that may leave a site although db.ignore.external.links is set. */
export function exemptionsSource(config: UrlConfig): RuleSource {
  return sourceOf('', '', config.exemptionsFile)
}

function sourceOf(property: string, text: string, path: string, shipped?: string, mayBeMissing = false): RuleSource {
  if (text !== '') return { kind: 'text', name: `-D ${property}`, text }
  if (path !== '') return { kind: 'file', path, mayBeMissing }
  return shipped === undefined ? { kind: 'none' } : { kind: 'shipped', path: shipped }
}
