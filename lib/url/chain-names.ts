import { suggestion } from '../config/suggestion.js'
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

/** Filters by short name, plugin name (`urlfilter-regex`) or Java class, separated by commas or spaces. `extra` are known beside ours.
 *  @throws {CrawlError} CONFIG_INVALID */
export function readFilterChain<Extra extends string = never>(names: readonly string[], extra: readonly Extra[] = []): (FilterName | Extra)[] {
  return readNames<FilterName | Extra>(names, 'urlfilter', [...filterNames, ...extra], filterClasses)
}

/** Normalizers, in the same forms. @throws {CrawlError} CONFIG_INVALID */
export function readNormalizerChain<Extra extends string = never>(
  names: readonly string[],
  extra: readonly Extra[] = [],
): (NormalizerName | Extra)[] {
  return readNames<NormalizerName | Extra>(names, 'urlnormalizer', [...normalizerNames, ...extra], normalizerClasses)
}

function readNames<Name extends string>(
  names: readonly string[],
  kind: string,
  known: readonly Name[],
  classes: Readonly<Record<string, Name>>,
): Name[] {
  const words = names.flatMap(name => name.split(/[\s,]+/)).filter(word => word !== '')
  return words.map(word => {
    const found = nameOf(word, kind, known, classes)
    if (found !== undefined) return found
    throw new CrawlError('CONFIG_INVALID', `there is no ${kind} ${word}${suggestion(shortName(word, kind), known)}; known are ${known.join(', ')}`)
  })
}

/** The built-in filter that one word stands for. */
export function filterNameOf(word: string): FilterName | undefined {
  return nameOf(word, 'urlfilter', filterNames, filterClasses)
}

/** The built-in normalizer that one word stands for. */
export function normalizerNameOf(word: string): NormalizerName | undefined {
  return nameOf(word, 'urlnormalizer', normalizerNames, normalizerClasses)
}

function nameOf<Name extends string>(word: string, kind: string, known: readonly Name[], classes: Readonly<Record<string, Name>>): Name | undefined {
  const short = shortName(word, kind)
  const className = word.slice(word.lastIndexOf('.') + 1)
  return known.find(name => name === short) ?? (Object.hasOwn(classes, className) ? classes[className] : undefined)
}

function shortName(word: string, kind: string): string {
  return word.startsWith(`${kind}-`) ? word.slice(kind.length + 1) : word
}
