import type { RuleRef } from '../../explain/decision.js'
import { type RuleFile, ruleLinesOf } from '../rule-file.js'
import { AffixTrie } from './affix-trie.js'
import type { UrlFilter } from './url-filter.js'

/** Nutch's PrefixURLFilter: a URL passes if it begins with one of the lines. */
export function compilePrefixFilter(file: RuleFile): UrlFilter {
  const trie = new AffixTrie(false)
  for (const { number, text } of ruleLinesOf(file)) trie.add(text, { rule: text, file: file.name, line: number })
  const noPrefix: RuleRef = { rule: 'no prefix matches', file: file.name, line: 0 }
  const verdict = (url: string) => {
    const by = trie.find(url)
    return { accepted: by !== undefined, by: by ?? noPrefix }
  }
  return { name: 'prefix', accepts: url => trie.find(url) !== undefined, verdict }
}
