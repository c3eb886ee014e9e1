import { anyChar, type CharSet, union } from './char-set.js'
import type { RegexNode } from './regex-node.js'

/** What a node can begin with: no text that it matches begins with a character outside of `set`. */
export interface FirstChars {
  readonly set: CharSet
  /** Whether it may match the empty text. */
  readonly isNullable: boolean
}

const nothing: FirstChars = { set: [], isNullable: true }

/** @param groups nodes of the groups by number, for back references */
export function firstCharsOf(node: RegexNode, groups: ReadonlyMap<number, RegexNode>): FirstChars {
  switch (node.kind) {
    case 'empty':
    case 'assert':
    case 'look':
      return nothing
    case 'set':
      return { set: node.set, isNullable: false }
    case 'capture':
    case 'atomic':
      return firstCharsOf(node.node, groups)
    case 'repeat': {
      const first = firstCharsOf(node.node, groups)
      return node.min === 0 ? { set: first.set, isNullable: true } : first
    }
    case 'concat':
      return node.parts.reduceRight((rest, part) => before(firstCharsOf(part, groups), rest), nothing)
    case 'alternate': {
      const firsts = node.options.map(option => firstCharsOf(option, groups))
      return { set: union(...firsts.map(first => first.set)), isNullable: firsts.some(first => first.isNullable) }
    }
    case 'backref':
      return firstOfBackref(node, groups)
  }
}

/** What `first` and then `rest` begin with. */
export function before(first: FirstChars, rest: FirstChars): FirstChars {
  return first.isNullable ? { set: union(first.set, rest.set), isNullable: rest.isNullable } : first
}

function firstOfBackref({ index, ignoresCase }: RegexNode & { readonly kind: 'backref' }, groups: ReadonlyMap<number, RegexNode>): FirstChars {
  const group = groups.get(index)
  if (group === undefined || ignoresCase) return { set: anyChar, isNullable: true }
  const others = new Map(groups)
  others.delete(index) // a group that refers to itself
  return firstCharsOf(group, others)
}

/** The groups of a pattern by number. */
export function groupsOf(node: RegexNode, groups = new Map<number, RegexNode>()): Map<number, RegexNode> {
  if (node.kind === 'capture') groups.set(node.index, node.node)
  if (node.kind === 'concat') for (const part of node.parts) groupsOf(part, groups)
  else if (node.kind === 'alternate') for (const option of node.options) groupsOf(option, groups)
  else if ('node' in node) groupsOf(node.node, groups)
  return groups
}
