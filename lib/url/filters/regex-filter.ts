import { defaultStepLimit, JavaPattern } from '../regex/java-pattern.js'
import { PatternList, UndecidedPatternError } from '../regex/pattern-list.js'
import type { RuleFile } from '../rule-file.js'
import { type FirstMatch, type RuleSection, readSections, type SignedRule, signedFilter, UndecidedError } from './signed-rules.js'
import type { UrlFilter } from './url-filter.js'

/** Rules in one automaton; more would make its states large. */
const rulesPerSection = 64

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
  const patterns = new PatternList(rules.map(rule => rule.pattern))
  return url => {
    try {
      return rules[patterns.firstIn(url)]
    } catch (error) {
      if (!(error instanceof UndecidedPatternError)) throw error
      throw new UndecidedError(rules[error.index] as SignedRule<JavaPattern>, error.message, error)
    }
  }
}
