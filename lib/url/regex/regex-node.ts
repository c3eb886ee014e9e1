import type { CharSet } from './char-set.js'

/** A regular expression, parsed. Flags are resolved: sets already hold both cases where case is ignored. */
export type RegexNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'concat'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'alternate'; readonly options: readonly RegexNode[] }
  | { readonly kind: 'capture'; readonly index: number; readonly node: RegexNode }
  | { readonly kind: 'repeat'; readonly node: RegexNode; readonly min: number; readonly max: number; readonly isLazy: boolean }
  | { readonly kind: 'atomic'; readonly node: RegexNode }
  | { readonly kind: 'look'; readonly isAhead: boolean; readonly isNegative: boolean; readonly node: RegexNode }
  | { readonly kind: 'backref'; readonly index: number; readonly ignoresCase: boolean }
  | { readonly kind: 'assert'; readonly at: AssertKind }

/**
 * `textStart` is `^` and `\A`, `textEnd` is `\z`, `lastLineEnd` is `$` and `\Z` (the end, or before a line terminator that is last); `lineStart` and
 * `lineEnd` are `^` and `$` under `(?m)`.
 */
export type AssertKind = 'textStart' | 'textEnd' | 'lastLineEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'notWordBoundary'

export interface ParsedRegex {
  readonly node: RegexNode
  readonly captureCount: number
  readonly captureNames: ReadonlyMap<string, number>
}

export const emptyNode: RegexNode = { kind: 'empty' }

/** Fewest and most code points that a node can match; the most may be Infinity. */
export function widthOf(node: RegexNode): { readonly min: number; readonly max: number } {
  switch (node.kind) {
    case 'empty':
    case 'assert':
    case 'look':
      return { min: 0, max: 0 }
    case 'set':
      return { min: 1, max: 1 }
    case 'backref':
      return { min: 0, max: Number.POSITIVE_INFINITY }
    case 'capture':
    case 'atomic':
      return widthOf(node.node)
    case 'concat':
      return node.parts.map(widthOf).reduce((sum, width) => ({ min: sum.min + width.min, max: sum.max + width.max }), { min: 0, max: 0 })
    case 'alternate': {
      const widths = node.options.map(widthOf)
      return { min: Math.min(...widths.map(width => width.min)), max: Math.max(...widths.map(width => width.max)) }
    }
    case 'repeat': {
      const width = widthOf(node.node)
      return { min: width.min * node.min, max: width.max === 0 || node.max === 0 ? 0 : width.max * node.max }
    }
  }
}
