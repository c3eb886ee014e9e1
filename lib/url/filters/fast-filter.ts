import { builtIn, type RuleRef } from '../../explain/decision.js'
import { type JavaUrl, javaUrl } from '../java-url.js'
import { StepLimitError } from '../regex/backtrack.js'
import { defaultStepLimit, JavaPattern } from '../regex/java-pattern.js'
import { MultiDfa } from '../regex/multi-dfa.js'
import { RegexSyntaxError } from '../regex/regex-error.js'
import { linesOf, type RuleFile, type RuleLine, ruleError } from '../rule-file.js'
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
  readonly seesQuery: boolean
  readonly pattern: JavaPattern
}
interface DenyBlock {
  readonly rules: DenyRule[]
  path?: MultiDfa
  pathQuery?: MultiDfa
}

/**
 * Nutch's FastURLFilter: `Host name` and `Domain name` (`.` for all) begin a block of `DenyPath regex` and `DenyPathQuery regex`; a URL passes unless a rule
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
    for (const block of blocksFor(parts.host, hosts, domains)) {
      const rejection = denied(block, parts)
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

function denied(block: DenyBlock, { path, query }: JavaUrl): Verdict | undefined {
  const pathQuery = query === undefined ? path : `${path}?${query}`
  for (const [rules, automaton, text] of [
    [pathRules(block), block.path, path],
    [queryRules(block), block.pathQuery, pathQuery],
  ] as const) {
    const { exact, candidates } = automaton?.match(text) ?? { exact: -1, candidates: [] }
    for (const index of exact < 0 ? candidates : [...candidates, exact]) {
      const verdict = verdictOf(rules[index] as DenyRule, text)
      if (verdict !== undefined) return verdict
    }
  }
  return undefined
}

const pathRules = (block: DenyBlock): DenyRule[] => block.rules.filter(rule => !rule.seesQuery)
const queryRules = (block: DenyBlock): DenyRule[] => block.rules.filter(rule => rule.seesQuery)

function verdictOf(rule: DenyRule, text: string): Verdict | undefined {
  try {
    return rule.pattern.isExact || rule.pattern.test(text) ? { accepted: false, by: rule } : undefined
  } catch (error) {
    if (error instanceof StepLimitError) return { accepted: false, by: rule, reason: `the pattern gave ${error.message}` }
    throw error
  }
}

function readBlocks(file: RuleFile, stepLimit: number, hosts: Map<string, DenyBlock>, domains: Map<string, DenyBlock>): void {
  let block: DenyBlock | undefined
  for (const line of linesOf(file)) {
    const text = line.text.replace(/(?:^|\s)#.*$/, '').trim()
    if (text === '') continue
    const [keyword, value = ''] = text.split(/\s+/, 2)
    if (value === '') throw ruleError(file, line.number, `nothing behind ${keyword}`)
    if (keyword === 'Host' || keyword === 'Domain') block = blockNamed(keyword === 'Host' ? hosts : domains, value.toLowerCase())
    else if (keyword === 'DenyPath' || keyword === 'DenyPathQuery') {
      if (block === undefined) throw ruleError(file, line.number, `${keyword} before any Host or Domain`)
      block.rules.push(denyRule(file, { number: line.number, text }, keyword === 'DenyPathQuery', value, stepLimit))
    } else throw ruleError(file, line.number, `unknown word ${keyword}: Host, Domain, DenyPath and DenyPathQuery are known`)
  }
  for (const each of [...hosts.values(), ...domains.values()]) {
    each.path = new MultiDfa(pathRules(each).map(rule => rule.pattern))
    each.pathQuery = new MultiDfa(queryRules(each).map(rule => rule.pattern))
  }
}

function blockNamed(blocks: Map<string, DenyBlock>, name: string): DenyBlock {
  const block = blocks.get(name) ?? { rules: [] }
  blocks.set(name, block)
  return block
}

function denyRule(file: RuleFile, { number, text }: RuleLine, seesQuery: boolean, source: string, stepLimit: number): DenyRule {
  try {
    return { rule: text, file: file.name, line: number, seesQuery, pattern: new JavaPattern(source, stepLimit) }
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw ruleError(file, number, `${source}: ${error.message}`)
    throw error
  }
}
