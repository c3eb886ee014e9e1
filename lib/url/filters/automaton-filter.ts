import { Automaton } from '../regex/automaton.js'
import { LanguageLimitError } from '../regex/derivatives.js'
import type { RuleFile } from '../rule-file.js'
import { readSections, type SignedRule, signedFilter, UndecidedError } from './signed-rules.js'
import type { UrlFilter } from './url-filter.js'

/**
 * Nutch's AutomatonURLFilter: rules as in the regex filter, in the syntax of dk.brics.automaton, and each must match the whole URL.
 * @throws {CrawlError} URL_RULE_INVALID with file and line
 */
export function compileAutomatonFilter(file: RuleFile): UrlFilter {
  const sections = readSections(file, source => new Automaton(source), Number.POSITIVE_INFINITY)
  return signedFilter(
    'automaton',
    file,
    sections.map(({ scope, rules }) => ({ scope, firstMatch: url => rules.find(rule => isMatched(rule, url)) })),
  )
}

function isMatched(rule: SignedRule<Automaton>, url: string): boolean {
  try {
    return rule.pattern.matches(url)
  } catch (error) {
    if (error instanceof LanguageLimitError) throw new UndecidedError(rule, `the expression needs ${error.message}`, error)
    throw error
  }
}
