import type { RuleRef } from '../../explain/decision.js'

/** A prefix or suffix, and the rule that it stands in. */
export interface Affix {
  readonly text: string
  readonly rule: RuleRef
}

/**
 * Prefixes or suffixes, any number of them. None that begins with another is kept, as the shortest decides: then in sorted order the only one that a
 * text can
 * begin with is the last that is not greater than the text. A lookup is a binary search.
 */
export class AffixSet {
  readonly #texts: string[] = []
  readonly #rules: RuleRef[] = []
  readonly #fromEnd: boolean
  #longest = 0

  /** @param fromEnd whether they are suffixes */
  constructor(affixes: readonly Affix[], fromEnd: boolean) {
    this.#fromEnd = fromEnd
    const sorted = affixes.map(({ text, rule }) => ({ text: fromEnd ? reversed(text) : text, rule }))
    sorted.sort((a, b) => (a.text === b.text ? a.rule.line - b.rule.line : a.text < b.text ? -1 : 1))
    for (const { text, rule } of sorted) {
      const last = this.#texts.at(-1)
      if (last !== undefined && text.startsWith(last)) continue
      this.#texts.push(text)
      this.#rules.push(rule)
      this.#longest = Math.max(this.#longest, text.length)
    }
  }

  /** The rule of the shortest entry that `text` begins or ends with. */
  find(text: string): RuleRef | undefined {
    const from = this.#fromEnd ? reversed(text.slice(-this.#longest)) : text
    let low = 0
    let high = this.#texts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#texts[middle] as string) <= from) low = middle + 1
      else high = middle
    }
    return low > 0 && from.startsWith(this.#texts[low - 1] as string) ? this.#rules[low - 1] : undefined
  }
}

/** By code units: what is halved here is put together in the same way on both sides of a comparison. */
function reversed(text: string): string {
  let result = ''
  for (let index = text.length - 1; index >= 0; index--) result += text[index]
  return result
}
