import type { RuleRef } from '../../explain/decision.js'
import { type RuleFile, ruleLinesOf } from '../rule-file.js'
import { AffixSet } from './affix-set.js'
import type { UrlFilter } from './url-filter.js'

/** Nutch's PrefixURLFilter: a URL passes if it begins with one of the lines. */
export function compilePrefixFilter(file: RuleFile): UrlFilter {
  const affixes = ruleLinesOf(file).map(({ number, text }) => ({ text, rule: { rule: text, file: file.name, line: number } }))
  const prefixes = new AffixSet(affixes, false)
  const noPrefix: RuleRef = { rule: 'no prefix matches', file: file.name, line: 0 }
  const verdict = (url: string) => {
    const by = prefixes.find(url)
    return { accepted: by !== undefined, by: by ?? noPrefix }
  }
  return { name: 'prefix', accepts: url => prefixes.find(url) !== undefined, verdict }
}
