import type { RuleRef } from '../../explain/decision.js'

interface TrieNode {
  readonly next: Map<number, TrieNode>
  rule: RuleRef | undefined
}

/** Prefixes or suffixes, any number of them: the shortest that a text has is found in as many steps as it has characters. */
export class AffixTrie {
  readonly #root: TrieNode = newNode()

  /** @param fromEnd whether the entries are suffixes */
  constructor(readonly fromEnd: boolean) {}

  /** Of equal entries the first one counts. */
  add(affix: string, rule: RuleRef): void {
    let node = this.#root
    for (let index = 0; index < affix.length; index++) {
      const unit = this.#unitAt(affix, index)
      let next = node.next.get(unit)
      if (next === undefined) {
        next = newNode()
        node.next.set(unit, next)
      }
      node = next
    }
    node.rule ??= rule
  }

  /** The rule of the shortest entry that `text` begins or ends with. */
  find(text: string): RuleRef | undefined {
    let node: TrieNode | undefined = this.#root
    for (let index = 0; node !== undefined; index++) {
      if (node.rule !== undefined) return node.rule
      if (index >= text.length) return undefined
      node = node.next.get(this.#unitAt(text, index))
    }
    return undefined
  }

  #unitAt(text: string, index: number): number {
    return text.charCodeAt(this.fromEnd ? text.length - 1 - index : index)
  }
}

function newNode(): TrieNode {
  return { next: new Map(), rule: undefined }
}
