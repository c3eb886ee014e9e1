import type { CharSet } from './char-set.js'
import type { AssertKind } from './regex-node.js'

/** One instruction; `to` and `or` are indexes of instructions. A split tries `to` first. A span takes all characters of its set that come next. */
export type Instruction =
  | { readonly op: 'char' | 'span'; readonly set: CharSet; readonly ascii: Uint8Array }
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
  /** ASCII characters that a match can begin with; undefined if it may be empty. */
  readonly firstAscii: Uint8Array | undefined
  /** The same, laid out for speed, where there is one way through from each start. */
  readonly straight: StraightCode | undefined
}

/** A straight program laid out for speed: one entry of each array for each instruction. */
export interface StraightCode {
  readonly ops: Uint8Array
  readonly sets: readonly CharSet[]
  readonly ascii: readonly Uint8Array[]
  /** Slot of a save, group of a back reference. */
  readonly operands: Uint16Array
  readonly ignoresCase: readonly boolean[]
  /** The one character that every match begins with, if there is one. */
  readonly firstChar: string | undefined
}
