import type { RuleRef } from '../../explain/decision.js'
import { javaUrl } from '../java-url.js'
import { type RuleFile, ruleLinesOf } from '../rule-file.js'
import { AffixSet } from './affix-set.js'
import type { UrlFilter, Verdict } from './url-filter.js'

/**
 * Nutch's SuffixURLFilter. Mode lines: `+` lets pass what no suffix matches, `-` rejects it (the last one counts, none is `-`); with `I` case does
 * not
 * matter; with `P` the path alone is looked at.
 */
export function compileSuffixFilter(file: RuleFile): UrlFilter {
  const lines = ruleLinesOf(file)
  const modes = lines.filter(({ text }) => isMode(text))
  const has = (letter: string): boolean => modes.some(({ text }) => text.includes(letter))
  const [ignoresCase, looksAtPath] = [has('I'), has('P')]
  const mode = modes.at(-1)
  const passesUnknown = mode?.text.startsWith('+') === true
  const affixes = lines
    .filter(({ text }) => !isMode(text))
    .map(({ number, text }) => ({ text: ignoresCase ? text.toLowerCase() : text, rule: { rule: text, file: file.name, line: number } }))
  const suffixes = new AffixSet(affixes, true)
  const unknown: RuleRef = { rule: mode?.text ?? 'no suffix matches', file: file.name, line: mode?.number ?? 0 }
  const verdict = (url: string): Verdict => {
    const part = looksAtPath ? pathOf(url) : url
    const by = suffixes.find(ignoresCase ? part.toLowerCase() : part)
    return by === undefined ? { accepted: passesUnknown, by: unknown } : { accepted: !passesUnknown, by }
  }
  return { name: 'suffix', accepts: url => verdict(url).accepted, verdict }
}

const isMode = (text: string): boolean => text.startsWith('+') || text.startsWith('-')

/** The path of a URL; what is none is looked at as a whole. */
function pathOf(url: string): string {
  return javaUrl(url)?.path ?? url
}
