import { suggestion } from '../config/resolve-config.js'
import { CrawlError } from '../errors/crawl-error.js'

export const filterNames = ['regex', 'automaton', 'prefix', 'suffix', 'domain', 'domaindenylist', 'fast', 'validator'] as const
export type FilterName = (typeof filterNames)[number]

export const normalizerNames = ['basic', 'regex', 'querystring', 'slash', 'host', 'protocol', 'ajax', 'pass'] as const
export type NormalizerName = (typeof normalizerNames)[number]

const filterClasses: Readonly<Record<string, FilterName>> = {
  RegexURLFilter: 'regex',
  AutomatonURLFilter: 'automaton',
  PrefixURLFilter: 'prefix',
  SuffixURLFilter: 'suffix',
  DomainURLFilter: 'domain',
  DomainDenylistURLFilter: 'domaindenylist',
  FastURLFilter: 'fast',
  UrlValidator: 'validator',
}
const normalizerClasses: Readonly<Record<string, NormalizerName>> = {
  BasicURLNormalizer: 'basic',
  RegexURLNormalizer: 'regex',
  QuerystringURLNormalizer: 'querystring',
  SlashURLNormalizer: 'slash',
  HostURLNormalizer: 'host',
  ProtocolURLNormalizer: 'protocol',
  AjaxURLNormalizer: 'ajax',
  PassURLNormalizer: 'pass',
}

/** Filters by short name, plugin name (`urlfilter-regex`) or Java class, separated by commas or spaces. @throws {CrawlError} CONFIG_INVALID */
export function readFilterChain(names: readonly string[]): FilterName[] {
  return readNames(names, 'urlfilter', filterNames, filterClasses)
}

/** Normalizers, in the same forms. @throws {CrawlError} CONFIG_INVALID */
export function readNormalizerChain(names: readonly string[]): NormalizerName[] {
  return readNames(names, 'urlnormalizer', normalizerNames, normalizerClasses)
}

function readNames<Name extends string>(
  names: readonly string[],
  kind: string,
  known: readonly Name[],
  classes: Readonly<Record<string, Name>>,
): Name[] {
  const words = names.flatMap(name => name.split(/[\s,]+/)).filter(word => word !== '')
  return words.map(word => {
    const short = word.startsWith(`${kind}-`) ? word.slice(kind.length + 1) : word
    const found = known.find(name => name === short)
    if (found !== undefined) return found
    const className = word.slice(word.lastIndexOf('.') + 1)
    const byClass = Object.hasOwn(classes, className) ? classes[className] : undefined
    if (byClass !== undefined) return byClass
    throw new CrawlError('CONFIG_INVALID', `there is no ${kind} ${word}${suggestion(short, known)}; known are ${known.join(', ')}`)
  })
}
