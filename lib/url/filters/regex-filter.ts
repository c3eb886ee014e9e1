import { StepLimitError } from '../regex/backtrack.js'
import { defaultStepLimit, JavaPattern } from '../regex/java-pattern.js'
import { MultiDfa } from '../regex/multi-dfa.js'
import type { RuleFile } from '../rule-file.js'
import { type FirstMatch, type RuleSection, readSections, type SignedRule, signedFilter, UndecidedError } from './signed-rules.js'
import type { UrlFilter } from './url-filter.js'

/** Rules in one automaton; more would make its states large. */
const rulesPerSection = 64
const endsInLineTerminator = /[\n\r\u0085\u2028\u2029]$/

/**
 * Nutch's RegexURLFilter: the first rule whose pattern is found somewhere in the URL decides. Patterns that an automaton can do are looked for all at
 * once, in linear time; the others only where they can match at all, and with at most `stepLimit` steps, after which the URL is rejected.
 * @throws {CrawlError} URL_RULE_INVALID with file and line
 */
export function compileRegexFilter(file: RuleFile, stepLimit = defaultStepLimit): UrlFilter {
  const sections = readSections(file, source => new JavaPattern(source, stepLimit), rulesPerSection)
  return signedFilter(
    'regex',
    file,
    sections.map(section => ({ scope: section.scope, firstMatch: firstFound(section) })),
  )
}

function firstFound({ rules }: RuleSection<JavaPattern>): FirstMatch<JavaPattern> {
  const automaton = new MultiDfa(rules.map(rule => rule.pattern))
  return url => {
    if (endsInLineTerminator.test(url)) return rules.find(rule => isFound(rule, url))
    const { exact, candidates } = automaton.match(url)
    for (const index of candidates) {
      const rule = rules[index] as SignedRule<JavaPattern>
      if (isFound(rule, url)) return rule
    }
    return exact < 0 ? undefined : rules[exact]
  }
}

function isFound(rule: SignedRule<JavaPattern>, url: string): boolean {
  try {
    return rule.pattern.test(url)
  } catch (error) {
    if (error instanceof StepLimitError) throw new UndecidedError(rule, `the pattern gave ${error.message}`, error)
    throw error
  }
}
