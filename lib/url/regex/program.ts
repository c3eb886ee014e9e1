import { type CharSet, hasChar } from './char-set.js'
import { RegexSyntaxError } from './regex-error.js'
import { type AssertKind, type RegexNode, widthOf } from './regex-node.js'

/** One instruction; `to` and `or` are indexes of instructions. A split tries `to` first. */
export type Instruction =
  | { readonly op: 'char'; readonly set: CharSet; readonly ascii: Uint8Array }
  | { readonly op: 'split'; to: number; or: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'assert'; readonly at: AssertKind }
  | { readonly op: 'backref'; readonly index: number; readonly ignoresCase: boolean }
  | {
      readonly op: 'look'
      readonly isAhead: boolean
      readonly isNegative: boolean
      readonly program: Program
      readonly min: number
      readonly max: number
    }
  | { readonly op: 'atomic'; readonly program: Program }
  | { readonly op: 'progress'; readonly slot: number }
  | { readonly op: 'match' }

export interface Program {
  readonly code: readonly Instruction[]
  /** Whether it holds a back reference: then what follows from a place depends on how it was reached. */
  readonly hasBackrefs: boolean
  /** Slots for starts and ends of groups, and for loops that must advance. */
  readonly slotCount: number
}

const maxInstructions = 20_000

/** Instructions for the backtracking matcher. @throws {RegexSyntaxError} if they are too many */
export function compileProgram(node: RegexNode, captureCount: number): Program {
  return new Compiler({ slotCount: 2 * (captureCount + 1) }, false).compile(node)
}

/**
 * Instructions without anything that an automaton cannot do: they match at least where `node` does. Look-around and word boundaries are taken as
 * given, a back reference as any text.
 */
export function compileApproximation(node: RegexNode): { readonly program: Program; readonly isExact: boolean } {
  const compiler = new Compiler({ slotCount: 0 }, true)
  const program = compiler.compile(node)
  return { program, isExact: compiler.isExact }
}

class Compiler {
  readonly #code: Instruction[] = []
  #hasBackrefs = false
  isExact = true

  constructor(
    readonly slots: { slotCount: number },
    readonly approximates: boolean,
  ) {}

  compile(node: RegexNode): Program {
    this.#emit(node)
    this.#push({ op: 'match' })
    return { code: this.#code, hasBackrefs: this.#hasBackrefs, slotCount: this.slots.slotCount }
  }

  #push(instruction: Instruction): number {
    if (this.#code.length >= maxInstructions) throw new RegexSyntaxError('its repeats make it too large')
    return this.#code.push(instruction) - 1
  }

  #emit(node: RegexNode): void {
    switch (node.kind) {
      case 'empty':
        return
      case 'set':
        this.#push({ op: 'char', set: node.set, ascii: asciiTable(node.set) })
        return
      case 'concat':
        for (const part of node.parts) this.#emit(part)
        return
      case 'alternate':
        this.#emitAlternate(node.options)
        return
      case 'capture':
        this.#emitCapture(node.index, node.node)
        return
      case 'repeat':
        this.#emitRepeat(node.node, node.min, node.max, node.isLazy)
        return
      case 'assert':
        this.#emitAssert(node.at)
        return
      default:
        if (this.approximates) this.#emitApproximately(node)
        else this.#emitExactly(node)
    }
  }

  #emitExactly(node: RegexNode & { readonly kind: 'atomic' | 'look' | 'backref' }): void {
    if (node.kind === 'backref') {
      this.#hasBackrefs = true
      this.#push({ op: 'backref', index: node.index, ignoresCase: node.ignoresCase })
      return
    }
    const program = new Compiler(this.slots, false).compile(node.node)
    this.#hasBackrefs ||= program.hasBackrefs
    if (node.kind === 'atomic') this.#push({ op: 'atomic', program })
    else this.#push({ op: 'look', isAhead: node.isAhead, isNegative: node.isNegative, program, ...widthOf(node.node) })
  }

  #emitApproximately(node: RegexNode & { readonly kind: 'atomic' | 'look' | 'backref' }): void {
    this.isExact = false
    if (node.kind === 'atomic') this.#emit(node.node)
    if (node.kind === 'backref') this.#emitRepeat({ kind: 'set', set: [0, 0x10ffff] }, 0, Number.POSITIVE_INFINITY, false)
  }

  #emitAssert(at: AssertKind): void {
    if (this.approximates && at !== 'textStart' && at !== 'textEnd' && at !== 'lastLineEnd') this.isExact = false
    else this.#push({ op: 'assert', at })
  }

  #emitAlternate(options: readonly RegexNode[]): void {
    const jumps: { to: number }[] = []
    for (const [index, option] of options.entries()) {
      if (index === options.length - 1) {
        this.#emit(option)
        break
      }
      const split = { op: 'split' as const, to: 0, or: 0 }
      split.to = this.#push(split) + 1
      this.#emit(option)
      const jump = { op: 'jump' as const, to: 0 }
      this.#push(jump)
      jumps.push(jump)
      split.or = this.#code.length
    }
    for (const jump of jumps) jump.to = this.#code.length
  }

  #emitCapture(index: number, node: RegexNode): void {
    if (this.approximates) {
      this.#emit(node)
      return
    }
    this.#push({ op: 'save', slot: 2 * index })
    this.#emit(node)
    this.#push({ op: 'save', slot: 2 * index + 1 })
  }

  #emitRepeat(node: RegexNode, min: number, max: number, isLazy: boolean): void {
    const isUnbounded = max === Number.POSITIVE_INFINITY
    for (let count = 0; count < min; count++) this.#emit(node)
    if (isUnbounded) {
      this.#emitLoop(node, isLazy)
      return
    }
    const splits: { to: number; or: number }[] = []
    for (let count = min; count < max; count++) {
      splits.push(this.#split(isLazy))
      this.#emit(node)
    }
    for (const split of splits) this.#aim(split, isLazy, this.#code.length)
  }

  #emitLoop(node: RegexNode, isLazy: boolean): void {
    const split = this.#split(isLazy)
    const start = this.#code.length - 1
    const mustAdvance = !this.approximates && widthOf(node).min === 0
    const slot = mustAdvance ? this.slots.slotCount++ : 0
    if (mustAdvance) this.#push({ op: 'save', slot })
    this.#emit(node)
    if (mustAdvance) this.#push({ op: 'progress', slot })
    this.#push({ op: 'jump', to: start })
    this.#aim(split, isLazy, this.#code.length)
  }

  /** A split whose way in is the next instruction; the way out is aimed later. */
  #split(isLazy: boolean): { to: number; or: number } {
    const split = { op: 'split' as const, to: 0, or: 0 }
    const next = this.#push(split) + 1
    if (isLazy) split.or = next
    else split.to = next
    return split
  }

  #aim(split: { to: number; or: number }, isLazy: boolean, out: number): void {
    if (isLazy) split.to = out
    else split.or = out
  }
}

function asciiTable(set: CharSet): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (hasChar(set, code) ? 1 : 0))
}
