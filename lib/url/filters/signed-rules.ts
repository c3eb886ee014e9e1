import { builtIn, type RuleRef } from '../../explain/decision.js'
import { hostOf, registeredDomainOf, withoutRootDot } from '../hosts.js'
import { RegexSyntaxError } from '../regex/regex-error.js'
import { linesOf, type RuleFile, type RuleLine, ruleError } from '../rule-file.js'
import type { UrlFilter, Verdict } from './url-filter.js'

/** A line of a rule file in the form of Nutch's RegexURLFilterBase: `+` accepts, `-` rejects what the pattern behind it matches. */
export interface SignedRule<Pattern> extends RuleRef {
  readonly accepts: boolean
  readonly pattern: Pattern
}

/** Rules that stand together, for all URLs or for those of one host or domain. */
export interface RuleSection<Pattern> {
  /** Host or domain in lower case. */
  readonly scope: string | undefined
  readonly rules: readonly SignedRule<Pattern>[]
}

/** Finds the first rule of a section that matches. @throws {UndecidedError} */
export type FirstMatch<Pattern> = (url: string) => SignedRule<Pattern> | undefined

/** Whether a rule matches could not be found out within bounds: the URL must not pass. */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError'
  constructor(
    readonly rule: RuleRef,
    reason: string,
    cause: unknown,
  ) {
    super(reason, { cause })
  }
}

/**
 * Reads the rules of a file. `>host-or-domain` puts the rules after it under that host or domain, `<` ends this; empty lines and those that begin
 * with
 * `#` or a space are skipped. At most `rulesPerSection` stand in one section.
 * @throws {CrawlError} URL_RULE_INVALID with file and line
 */
export function readSections<Pattern>(file: RuleFile, compile: (source: string) => Pattern, rulesPerSection: number): RuleSection<Pattern>[] {
  const sections: RuleSection<Pattern>[] = []
  let rules: SignedRule<Pattern>[] = []
  let scope: string | undefined
  const close = (): void => {
    if (rules.length > 0) sections.push({ scope, rules })
    rules = []
  }
  for (const line of linesOf(file)) {
    const first = line.text.charAt(0)
    if (first === '' || first === ' ' || first === '\t' || first === '#') continue
    if (first === '>' || first === '<') {
      close()
      scope = first === '>' ? line.text.slice(1).trim().toLowerCase() : undefined
      continue
    }
    rules.push(readRule(file, line, compile))
    if (rules.length === rulesPerSection) close()
  }
  close()
  return sections
}

function readRule<Pattern>(file: RuleFile, { number, text }: RuleLine, compile: (source: string) => Pattern): SignedRule<Pattern> {
  const sign = text.charAt(0)
  if (sign !== '+' && sign !== '-') throw ruleError(file, number, `a rule begins with + or -, not with ${JSON.stringify(sign)}: ${text}`)
  try {
    return { rule: text, file: file.name, line: number, accepts: sign === '+', pattern: compile(text.slice(1)) }
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw ruleError(file, number, `${text.slice(1)}: ${error.message}`)
    throw error
  }
}

/** The filter over sections: the first rule that matches decides, none rejects. */
export function signedFilter<Pattern>(
  name: string,
  file: RuleFile,
  sections: readonly { readonly scope: string | undefined; readonly firstMatch: FirstMatch<Pattern> }[],
): UrlFilter {
  const noMatch: RuleRef = { rule: 'no rule matches', file: file.name || builtIn, line: 0 }
  const decide: FirstMatch<Pattern> = url => {
    for (const { scope, firstMatch } of sections) {
      const rule = scope === undefined || isUnder(scope, url) ? firstMatch(url) : undefined
      if (rule !== undefined) return rule
    }
    return undefined
  }
  const verdict = (url: string): Verdict => {
    try {
      const rule = decide(url)
      return { accepted: rule?.accepts === true, by: rule ?? noMatch }
    } catch (error) {
      if (error instanceof UndecidedError) return { accepted: false, by: error.rule, reason: error.message }
      throw error
    }
  }
  return { name, accepts: url => decide(url)?.accepts === true, verdict }
}

function isUnder(scope: string, url: string): boolean {
  const host = withoutRootDot(hostOf(url).toLowerCase())
  return host === scope || registeredDomainOf(host) === scope
}
