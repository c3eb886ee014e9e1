import { anyChar, type CharSet, hasChar, intersection } from './char-set.js'
import { before, type FirstChars, firstCharsOf, groupsOf } from './first-chars.js'
import type { Instruction, Program } from './instruction.js'
import { RegexSyntaxError } from './regex-error.js'
import { type AssertKind, type RegexNode, widthOf } from './regex-node.js'
import { straightCodeOf } from './straight-search.js'

export type { Instruction, Program } from './instruction.js'

const maxInstructions = 20_000
/** What follows the whole pattern: anything, or the end. */
const anything: FirstChars = { set: anyChar, isNullable: true }

/** Instructions for the backtracking matcher. @throws {RegexSyntaxError} if they are too many */
export function compileProgram(node: RegexNode, captureCount: number): Program {
  return new Compiler({ slotCount: 2 * (captureCount + 1) }, groupsOf(node), false).compile(node)
}

/**
 * Instructions without anything that an automaton cannot do: they match at least where `node` does. Look-around and word boundaries are taken as
 * given, a back reference as whatever its group matches.
 */
export function compileApproximation(node: RegexNode): { readonly program: Program; readonly isExact: boolean } {
  const compiler = new Compiler({ slotCount: 0 }, groupsOf(node), true)
  const program = compiler.compile(node)
  return { program, isExact: compiler.isExact }
}

class Compiler {
  readonly #code: Instruction[] = []
  #hasBackrefs = false
  isExact = true

  constructor(
    readonly slots: { slotCount: number },
    readonly groups: ReadonlyMap<number, RegexNode>,
    readonly approximates: boolean,
  ) {}

  compile(node: RegexNode): Program {
    this.#emit(node, anything)
    this.#push({ op: 'match' })
    const { set, isNullable } = firstCharsOf(node, this.groups)
    const firstAscii = isNullable ? undefined : asciiTable(set)
    const straight = straightCodeOf(this.#code)
    return { code: this.#code, hasBackrefs: this.#hasBackrefs, slotCount: this.slots.slotCount, firstAscii, straight }
  }

  #push(instruction: Instruction): number {
    if (this.#code.length >= maxInstructions) throw new RegexSyntaxError('its repeats make it too large')
    return this.#code.push(instruction) - 1
  }

  /** @param follow what the text behind the node can begin with */
  #emit(node: RegexNode, follow: FirstChars): void {
    switch (node.kind) {
      case 'empty':
        return
      case 'set':
        this.#push({ op: 'char', set: node.set, ascii: asciiTable(node.set) })
        return
      case 'concat':
        this.#emitConcat(node.parts, follow)
        return
      case 'alternate':
        this.#emitAlternate(node.options, follow)
        return
      case 'capture':
        this.#emitCapture(node.index, node.node, follow)
        return
      case 'repeat':
        this.#emitRepeat(node, follow)
        return
      case 'assert':
        this.#emitAssert(node.at)
        return
      default:
        if (this.approximates) this.#emitApproximately(node, follow)
        else this.#emitExactly(node)
    }
  }

  #emitConcat(parts: readonly RegexNode[], follow: FirstChars): void {
    const follows = [follow]
    for (const part of parts.slice(1).reverse()) follows.unshift(before(firstCharsOf(part, this.groups), follows[0] as FirstChars))
    for (const [index, part] of parts.entries()) this.#emit(part, follows[index] as FirstChars)
  }

  #emitExactly(node: RegexNode & { readonly kind: 'atomic' | 'look' | 'backref' }): void {
    if (node.kind === 'backref') {
      this.#hasBackrefs = true
      this.#push({ op: 'backref', index: node.index, ignoresCase: node.ignoresCase })
      return
    }
    const program = new Compiler(this.slots, this.groups, false).compile(node.node)
    this.#hasBackrefs ||= program.hasBackrefs
    if (node.kind === 'atomic') this.#push({ op: 'atomic', program })
    else this.#push({ op: 'look', isAhead: node.isAhead, isNegative: node.isNegative, program, ...widthOf(node.node) })
  }

  #emitApproximately(node: RegexNode & { readonly kind: 'atomic' | 'look' | 'backref' }, follow: FirstChars): void {
    this.isExact = false
    if (node.kind === 'atomic') this.#emit(node.node, follow)
    if (node.kind !== 'backref') return
    const group = node.ignoresCase ? undefined : this.groups.get(node.index)
    const isSimple = group !== undefined && groupsOf(group).size === 0 && !holdsBackref(group)
    this.#emit(isSimple ? group : anyText, follow)
  }

  #emitAssert(at: AssertKind): void {
    if (this.approximates && at !== 'textStart' && at !== 'textEnd' && at !== 'lastLineEnd') this.isExact = false
    else this.#push({ op: 'assert', at })
  }

  #emitAlternate(options: readonly RegexNode[], follow: FirstChars): void {
    const jumps: { to: number }[] = []
    for (const [index, option] of options.entries()) {
      if (index === options.length - 1) {
        this.#emit(option, follow)
        break
      }
      const split = { op: 'split' as const, to: 0, or: 0 }
      split.to = this.#push(split) + 1
      this.#emit(option, follow)
      const jump = { op: 'jump' as const, to: 0 }
      this.#push(jump)
      jumps.push(jump)
      split.or = this.#code.length
    }
    for (const jump of jumps) jump.to = this.#code.length
  }

  #emitCapture(index: number, node: RegexNode, follow: FirstChars): void {
    if (this.approximates) {
      this.#emit(node, follow)
      return
    }
    this.#push({ op: 'save', slot: 2 * index })
    this.#emit(node, follow)
    this.#push({ op: 'save', slot: 2 * index + 1 })
  }

  #emitRepeat({ node, min, max, isLazy }: RegexNode & { readonly kind: 'repeat' }, follow: FirstChars): void {
    const first = firstCharsOf(node, this.groups)
    const followInside = max > 1 ? before({ set: first.set, isNullable: true }, follow) : follow
    for (let count = 0; count < min; count++) this.#emit(node, followInside)
    if (max === Number.POSITIVE_INFINITY) {
      if (node.kind === 'set' && !this.approximates && neverGivesBack(node.set, follow))
        this.#push({ op: 'span', set: node.set, ascii: asciiTable(node.set) })
      else this.#emitLoop(node, isLazy, followInside)
      return
    }
    const splits: { to: number; or: number }[] = []
    for (let count = min; count < max; count++) {
      splits.push(this.#split(isLazy))
      this.#emit(node, followInside)
    }
    for (const split of splits) aim(split, isLazy, this.#code.length)
  }

  #emitLoop(node: RegexNode, isLazy: boolean, follow: FirstChars): void {
    const split = this.#split(isLazy)
    const start = this.#code.length - 1
    const mustAdvance = !this.approximates && widthOf(node).min === 0
    const slot = mustAdvance ? this.slots.slotCount++ : 0
    if (mustAdvance) this.#push({ op: 'save', slot })
    this.#emit(node, follow)
    if (mustAdvance) this.#push({ op: 'progress', slot })
    this.#push({ op: 'jump', to: start })
    aim(split, isLazy, this.#code.length)
  }

  /** A split whose way in is the next instruction; the way out is aimed later. */
  #split(isLazy: boolean): { to: number; or: number } {
    const split = { op: 'split' as const, to: 0, or: 0 }
    const next = this.#push(split) + 1
    if (isLazy) split.or = next
    else split.to = next
    return split
  }
}

const anyText: RegexNode = { kind: 'repeat', node: { kind: 'set', set: anyChar }, min: 0, max: Number.POSITIVE_INFINITY, isLazy: false }

function aim(split: { to: number; or: number }, isLazy: boolean, out: number): void {
  if (isLazy) split.to = out
  else split.or = out
}

/** A loop over a set need not be tried shorter (if greedy) nor longer (if lazy) where nothing that may follow begins with a character of the set. */
function neverGivesBack(set: CharSet, follow: FirstChars): boolean {
  return !follow.isNullable && intersection(set, follow.set).length === 0
}

function holdsBackref(node: RegexNode): boolean {
  if (node.kind === 'backref') return true
  if (node.kind === 'concat') return node.parts.some(holdsBackref)
  if (node.kind === 'alternate') return node.options.some(holdsBackref)
  return 'node' in node && holdsBackref(node.node)
}

function asciiTable(set: CharSet): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (hasChar(set, code) ? 1 : 0))
}
