import { type CharSet, hasChar } from './char-set.js'
import type { Instruction, Program, StraightCode } from './instruction.js'

const ops = { char: 0, span: 1, save: 2, backref: 3, match: 4 } as const
const noAscii = new Uint8Array(128)

/**
 * The layout of a program that has one way through from each start (no choice, and nothing that another program decides), or undefined for others.
 */
export function straightCodeOf(code: readonly Instruction[]): StraightCode | undefined {
  if (!code.every(({ op }) => Object.hasOwn(ops, op))) return undefined
  const first = code.find(({ op }) => op !== 'save')
  const isOneChar = first?.op === 'char' && first.set.length === 2 && first.set[0] === first.set[1]
  return {
    ops: Uint8Array.from(code, ({ op }) => ops[op as keyof typeof ops]), // each is one of them: checked above
    sets: code.map(instruction => ('set' in instruction ? instruction.set : [])),
    ascii: code.map(instruction => ('ascii' in instruction ? instruction.ascii : noAscii)),
    operands: Uint16Array.from(code, instruction =>
      instruction.op === 'save' ? instruction.slot : instruction.op === 'backref' ? instruction.index : 0,
    ),
    ignoresCase: code.map(instruction => instruction.op === 'backref' && instruction.ignoresCase),
    firstChar: isOneChar ? String.fromCodePoint(first.set[0] as number) : undefined,
  }
}

/**
 * Finds the first match of a straight program at or after `from`, into `slots`. Takes no more steps than the text has characters for each place that
 * a match can
 * begin at; `spend` is told of them.
 */
export function searchStraight(
  program: Program,
  code: StraightCode,
  text: string,
  from: number,
  slots: number[],
  spend: (steps: number) => void,
): boolean {
  for (let start = nextStart(program, code, text, from); start >= 0; start = nextStart(program, code, text, start + 1)) {
    const end = runStraight(code, text, start, slots)
    if (end >= 0) {
      slots[0] = start
      slots[1] = end
      return true
    }
    spend(code.ops.length + ((-2 - end) >> 3))
  }
  return false
}

function nextStart({ firstAscii }: Program, { firstChar }: StraightCode, text: string, from: number): number {
  if (firstChar !== undefined) return text.indexOf(firstChar, from)
  if (firstAscii === undefined) return from <= text.length ? from : -1
  for (let start = from; start < text.length; start++) {
    const unit = text.charCodeAt(start)
    if (unit >= 128 || firstAscii[unit] === 1) return start
  }
  return -1
}

/** The end of the match at `start`, or -2 less the characters passed where there is none. */
function runStraight({ ops: kinds, sets, ascii, operands, ignoresCase }: StraightCode, text: string, start: number, slots: number[]): number {
  let at = start
  for (let index = 0; index < kinds.length; index++) {
    const kind = kinds[index]
    if (kind === ops.char) {
      const end = charEnd(ascii[index] as Uint8Array, sets[index] as CharSet, text, at)
      if (end < 0) return start - at - 2
      at = end
    } else if (kind === ops.span) at = spanEnd(ascii[index] as Uint8Array, sets[index] as CharSet, text, at)
    else if (kind === ops.save) slots[operands[index] as number] = at
    else if (kind === ops.backref) {
      const end = repeatEnd(text, slots, operands[index] as number, ignoresCase[index] as boolean, at)
      if (end < 0) return start - at - 2
      at = end
    } else break
  }
  return at
}

/** The place behind a character of the set, or -1 if another one, or none, comes next. */
export function charEnd(ascii: Uint8Array, set: CharSet, text: string, at: number): number {
  if (at >= text.length) return -1
  const unit = text.charCodeAt(at)
  if (unit < 128) return ascii[unit] === 1 ? at + 1 : -1
  const code = text.codePointAt(at) as number
  return hasChar(set, code) ? at + (code > 0xffff ? 2 : 1) : -1
}

/** The place behind all characters of the set that come next. */
export function spanEnd(ascii: Uint8Array, set: CharSet, text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit < 128) {
      if (ascii[unit] !== 1) break
      at++
      continue
    }
    const end = charEnd(ascii, set, text, at)
    if (end < 0) break
    at = end
  }
  return at
}

/** The place behind what a group matched, standing there once more, or -1. */
export function repeatEnd(text: string, slots: readonly number[], index: number, ignoresCase: boolean, at: number): number {
  const start = slots[2 * index] as number
  const end = slots[2 * index + 1] as number
  if (start < 0 || end < start) return -1
  const length = end - start
  if (ignoresCase) return text.slice(at, at + length).toLowerCase() === text.slice(start, end).toLowerCase() ? at + length : -1
  for (let offset = 0; offset < length; offset++) if (text.charCodeAt(start + offset) !== text.charCodeAt(at + offset)) return -1
  return at + length
}
