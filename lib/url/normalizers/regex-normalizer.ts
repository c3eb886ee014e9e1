import { type RuleRef, type Step, stepOf } from '../../explain/decision.js'
import { defaultStepLimit, JavaPattern, type ReplacementTemplate } from '../regex/java-pattern.js'
import { MultiDfa } from '../regex/multi-dfa.js'
import { RegexSyntaxError } from '../regex/regex-error.js'
import { type RuleFile, ruleError } from '../rule-file.js'
import { type RegexNormalizeEntry, readRegexNormalize } from './read-regex-normalize.js'
import type { UrlNormalizer } from './url-normalizer.js'

interface ReplaceRule extends RuleRef {
  readonly pattern: JavaPattern
  readonly template: ReplacementTemplate
  /** All rules from this one on, looked for at once. */
  readonly automaton: MultiDfa
}

/**
 * Nutch's RegexURLNormalizer: replaces what the patterns of regex-normalize.xml find, rule by rule. An automaton tells in one pass whether any rule
 * finds
 * anything.
 * @throws {CrawlError} URL_RULE_INVALID with file, line and reason
 */
export function regexNormalizer(file: RuleFile, stepLimit = defaultStepLimit): UrlNormalizer {
  const rules = compileRules(file, stepLimit)
  const run = (url: string, steps?: Step[]): string => {
    let changed = url
    for (let index = nextRule(rules, 0, changed); index >= 0; index = nextRule(rules, index + 1, changed)) {
      const rule = rules[index] as ReplaceRule
      const after = rule.pattern.replaceAll(changed, rule.template)
      if (after !== changed) steps?.push(stepOf(rule, changed, after))
      changed = after
    }
    return changed
  }
  const explain: UrlNormalizer['explain'] = url => {
    const steps: Step[] = []
    return { url: run(url, steps), steps }
  }
  return { name: 'regex', apply: url => run(url), explain }
}

const endsInLineTerminator = /[\n\r\u0085\u2028\u2029]$/

/** Index of the first rule at or after `from` that may find something, or -1. */
function nextRule(rules: readonly ReplaceRule[], from: number, url: string): number {
  const rule = rules[from]
  if (rule === undefined) return -1
  if (endsInLineTerminator.test(url)) return from
  const { exact, candidates } = rule.automaton.match(url)
  const first = candidates[0] ?? exact
  return first < 0 ? -1 : from + first
}

function compileRules(file: RuleFile, stepLimit: number): ReplaceRule[] {
  const compiled = readRegexNormalize(file).map(entry => compileEntry(file, entry, stepLimit))
  return compiled.map((rule, index) => ({ ...rule, automaton: new MultiDfa(compiled.slice(index).map(each => each.pattern)) }))
}

function compileEntry(
  file: RuleFile,
  { pattern: source, substitution, line }: RegexNormalizeEntry,
  stepLimit: number,
): Omit<ReplaceRule, 'automaton'> {
  try {
    const pattern = new JavaPattern(source, stepLimit)
    return { rule: `${source} -> ${substitution}`, file: file.name, line, pattern, template: pattern.template(substitution) }
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw ruleError(file, line, `${source}: ${error.message}`)
    throw error
  }
}
