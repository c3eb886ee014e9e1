import { builtIn, type RuleRef } from '../../explain/decision.js'
import { withoutRootDot } from '../hosts.js'
import { type JavaUrl, javaUrl } from '../java-url.js'
import { defaultStepLimit, JavaPattern } from '../regex/java-pattern.js'
import { PatternList, UndecidedPatternError } from '../regex/pattern-list.js'
import { RegexSyntaxError } from '../regex/regex-error.js'
import { linesOf, type RuleFile, ruleError } from '../rule-file.js'
import type { UrlFilter, Verdict } from './url-filter.js'

/** Greatest lengths in characters; -1 is no limit. */
export interface FastLimits {
  /** @defaultValue -1 */
  readonly urlMaxLength?: number
  /** @defaultValue -1 */
  readonly pathMaxLength?: number
  /** @defaultValue -1 */
  readonly queryMaxLength?: number
}

interface DenyRule extends RuleRef {
  readonly pattern: JavaPattern
}

/** The rules of one host or domain: about paths, and about paths with their queries. */
class DenyBlock {
  readonly path: DenyRule[] = []
  readonly pathQuery: DenyRule[] = []
  #lists: readonly [path: PatternList, pathQuery: PatternList] | undefined

  /** The rule that denies, and why where that is not the rule alone. */
  denial({ path, query }: JavaUrl): Verdict | undefined {
    this.#lists ??= [listOf(this.path), listOf(this.pathQuery)]
    const [paths, pathQueries] = this.#lists
    return firstDenial(this.path, paths, path) ?? firstDenial(this.pathQuery, pathQueries, query === undefined ? path : `${path}?${query}`)
  }
}

const listOf = (rules: readonly DenyRule[]): PatternList => new PatternList(rules.map(rule => rule.pattern))

function firstDenial(rules: readonly DenyRule[], patterns: PatternList, text: string): Verdict | undefined {
  try {
    const rule = rules[patterns.firstIn(text)]
    return rule === undefined ? undefined : { accepted: false, by: rule }
  } catch (error) {
    if (!(error instanceof UndecidedPatternError)) throw error
    return { accepted: false, by: rules[error.index] as DenyRule, reason: error.message }
  }
}

/**
 * Nutch's FastURLFilter: `Host name` and `Domain name` (`.` for all) begin a block of `DenyPath regex` and `DenyPathQuery regex`; a URL passes
 * unless a rule
 * of its host, of one of the domains it is under, or of `.` finds something. Blocks are found by name, so their number does not matter.
 * @throws {CrawlError} URL_RULE_INVALID with file and line
 */
export function compileFastFilter(file: RuleFile, limits: FastLimits = {}, stepLimit = defaultStepLimit): UrlFilter {
  const hosts = new Map<string, DenyBlock>()
  const domains = new Map<string, DenyBlock>()
  readBlocks(file, stepLimit, hosts, domains)
  const verdict = (url: string): Verdict => {
    const tooLong = limitBroken(url, limits)
    if (tooLong !== undefined) return rejectedBy(tooLong)
    const parts = javaUrl(url)
    if (parts === undefined) return rejectedBy('malformed')
    for (const block of blocksFor(withoutRootDot(parts.host), hosts, domains)) {
      const rejection = block.denial(parts)
      if (rejection !== undefined) return rejection
    }
    return { accepted: true, by: { rule: 'no rule matches', file: file.name || builtIn, line: 0 } }
  }
  return { name: 'fast', accepts: url => verdict(url).accepted, verdict }
}

function rejectedBy(rule: string): Verdict {
  return { accepted: false, by: { rule, file: builtIn, line: 0 } }
}

function limitBroken(url: string, { urlMaxLength = -1, pathMaxLength = -1, queryMaxLength = -1 }: FastLimits): string | undefined {
  if (urlMaxLength >= 0 && url.length > urlMaxLength) return `urlfilter.fast.url.max.length = ${urlMaxLength}`
  if (pathMaxLength < 0 && queryMaxLength < 0) return undefined
  const { path, query } = javaUrl(url) ?? { path: '', query: undefined }
  if (pathMaxLength >= 0 && path.length > pathMaxLength) return `urlfilter.fast.url.path.max.length = ${pathMaxLength}`
  if (queryMaxLength >= 0 && query !== undefined && query.length > queryMaxLength) return `urlfilter.fast.url.query.max.length = ${queryMaxLength}`
  return undefined
}

/** Host, then its domains from the longest, then the block for all. */
function* blocksFor(host: string, hosts: ReadonlyMap<string, DenyBlock>, domains: ReadonlyMap<string, DenyBlock>): Generator<DenyBlock> {
  const own = hosts.get(host)
  if (own !== undefined) yield own
  for (let start = 0; ; ) {
    const block = domains.get(host.slice(start))
    if (block !== undefined) yield block
    const dot = host.indexOf('.', start)
    if (dot < 0) break
    start = dot + 1
  }
  const all = domains.get('.')
  if (all !== undefined) yield all
}

function readBlocks(file: RuleFile, stepLimit: number, hosts: Map<string, DenyBlock>, domains: Map<string, DenyBlock>): void {
  const patterns = new Map<string, JavaPattern>()
  let block: DenyBlock | undefined
  for (const { number, text: line } of linesOf(file)) {
    const text = line.replace(/(?:^|\s)#.*$/, '').trim()
    if (text === '') continue
    const [keyword, value = ''] = text.split(/\s+/, 2)
    if (value === '') throw ruleError(file, number, `nothing behind ${keyword}`)
    if (keyword === 'Host' || keyword === 'Domain') block = blockNamed(keyword === 'Host' ? hosts : domains, value.toLowerCase())
    else if (keyword === 'DenyPath' || keyword === 'DenyPathQuery') {
      if (block === undefined) throw ruleError(file, number, `${keyword} before any Host or Domain`)
      const rule = { rule: text, file: file.name, line: number, pattern: compileOnce(patterns, file, number, value, stepLimit) }
      block[keyword === 'DenyPath' ? 'path' : 'pathQuery'].push(rule)
    } else throw ruleError(file, number, `unknown word ${keyword}: Host, Domain, DenyPath and DenyPathQuery are known`)
  }
}

function blockNamed(blocks: Map<string, DenyBlock>, name: string): DenyBlock {
  const block = blocks.get(name) ?? new DenyBlock()
  blocks.set(name, block)
  return block
}

/** Many blocks have the same pattern. */
function compileOnce(patterns: Map<string, JavaPattern>, file: RuleFile, line: number, source: string, stepLimit: number): JavaPattern {
  try {
    const pattern = patterns.get(source) ?? new JavaPattern(source, stepLimit)
    patterns.set(source, pattern)
    return pattern
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw ruleError(file, line, `${source}: ${error.message}`)
    throw error
  }
}
