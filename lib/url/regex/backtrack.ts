import { isWordChar } from './char-set.js'
import type { Instruction, Program } from './program.js'
import type { AssertKind } from './regex-node.js'
import { charEnd, repeatEnd, searchStraight, spanEnd } from './straight-search.js'

/** Thrown when a search took more steps than it may: its answer is not known. */
export class StepLimitError extends Error {
  override readonly name = 'StepLimitError'
  constructor(readonly steps: number) {
    super(`no answer within ${steps} steps`)
  }
}

/** Starts and ends of the whole match and of each group, by pairs; -1 where a group took no part. */
export type Captures = readonly number[]

/**
 * Finds the first match at or after `from`, with Perl's and Java's order of preference. Without back references no place is visited twice with the
 * same instruction, so the steps are linear in the text; `stepLimit` bounds the rest.
 * @throws {StepLimitError}
 */
export function search(program: Program, text: string, from: number, stepLimit: number): Captures | undefined {
  return new Search(program, text, stepLimit).find(from)
}

class Search {
  readonly #slots: number[]
  #steps = 0
  #limit: number
  #memoizes = false
  #end = 0

  constructor(
    readonly program: Program,
    readonly text: string,
    readonly stepLimit: number,
  ) {
    this.#slots = new Array<number>(program.slotCount).fill(-1)
    this.#limit = stepLimit
  }

  find(from: number): Captures | undefined {
    const { straight } = this.program
    if (straight === undefined) return this.program.hasBackrefs ? this.#findByTrying(from) : this.#findInLinearTime(from)
    return searchStraight(this.program, straight, this.text, from, this.#slots, steps => this.#spend(steps)) ? this.#slots : undefined
  }

  /** Most searches end after few steps; one that does not is begun again with a memory of where it has been. */
  #findInLinearTime(from: number): Captures | undefined {
    this.#limit = Math.min(this.stepLimit, 500 + 4 * this.text.length)
    try {
      return this.#findByTrying(from)
    } catch (error) {
      if (!(error instanceof StepLimitError)) throw error
    }
    this.#limit = this.stepLimit
    this.#memoizes = true
    return this.#findByTrying(from)
  }

  #findByTrying(from: number): Captures | undefined {
    const visited = this.#newVisited(this.program)
    const { firstAscii } = this.program
    for (let start = from; start <= this.text.length; start++) {
      if (firstAscii !== undefined && !mayBegin(firstAscii, this.text, start)) continue
      if (start > from && isLowSurrogate(this.text, start)) continue
      if (visited === undefined) this.#slots.fill(-1)
      if (!this.#run(this.program, start, -1, visited)) continue
      this.#slots[0] = start
      this.#slots[1] = this.#end
      return this.#slots
    }
    return undefined
  }

  /** One bit for each instruction at each place; none before they are needed, and where the way to a place matters. */
  #newVisited(program: Program): Uint32Array | undefined {
    if (!this.#memoizes || program.hasBackrefs) return undefined
    const words = Math.ceil((program.code.length * (this.text.length + 1)) / 32)
    this.#spend(words >> 5)
    return new Uint32Array(words)
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.#limit) throw new StepLimitError(this.#limit)
  }

  /** Matches `program` at `start`; must end at `endAt` unless that is negative. On success the slots hold the groups, and `#end` the end. */
  #run(program: Program, start: number, endAt: number, visited: Uint32Array | undefined): boolean {
    const { code } = program
    const waiting: number[] = [0, start] // pairs: an instruction and a place, or -1 - slot and the value to put back
    while (waiting.length > 0) {
      let at = waiting.pop() as number
      let index = waiting.pop() as number
      if (index < 0) {
        this.#slots[-1 - index] = at
        continue
      }
      for (;;) {
        this.#spend(1)
        if (visited !== undefined && !this.#enter(visited, index, at)) break
        const instruction = code[index] as Instruction
        if (instruction.op === 'match') {
          if (endAt >= 0 && at !== endAt) break
          this.#end = at
          return true
        }
        const next = this.#step(instruction, at, waiting, visited !== undefined)
        if (next < 0) break
        at = next
        index = instruction.op === 'split' || instruction.op === 'jump' ? instruction.to : index + 1
      }
    }
    return false
  }

  #enter(visited: Uint32Array, index: number, at: number): boolean {
    const bit = index * (this.text.length + 1) + at
    const mask = 1 << (bit & 31)
    const word = visited[bit >>> 5] as number
    if ((word & mask) !== 0) return false
    visited[bit >>> 5] = word | mask
    return true
  }

  /** The place after an instruction, or -1 where it fails. */
  #step(instruction: Instruction, at: number, waiting: number[], isMemoized: boolean): number {
    switch (instruction.op) {
      case 'char':
        return charEnd(instruction.ascii, instruction.set, this.text, at)
      case 'span':
        return this.#passed(at, spanEnd(instruction.ascii, instruction.set, this.text, at))
      case 'split':
        waiting.push(instruction.or, at)
        return at
      case 'save':
        waiting.push(-1 - instruction.slot, this.#slots[instruction.slot] as number)
        this.#slots[instruction.slot] = at
        return at
      case 'progress':
        return isMemoized || this.#slots[instruction.slot] !== at ? at : -1
      case 'assert':
        return holdsAt(this.text, at, instruction.at) ? at : -1
      case 'backref':
        return repeatEnd(this.text, this.#slots, instruction.index, instruction.ignoresCase, at)
      case 'atomic':
        return this.#keepingSlots(waiting, false, () => this.#run(instruction.program, at, -1, this.#newVisited(instruction.program)))
          ? this.#end
          : -1
      case 'look':
        return this.#keepingSlots(waiting, instruction.isNegative, () => this.#looks(instruction, at)) !== instruction.isNegative ? at : -1
      default:
        return at
    }
  }

  /** Runs an inner program; what it put into slots is put back when its place is left, or at once if it only asked. */
  #keepingSlots(waiting: number[], putsBackAtOnce: boolean, run: () => boolean): boolean {
    const before = [...this.#slots]
    const isMatched = run()
    for (const [slot, value] of before.entries()) {
      if (this.#slots[slot] === value) continue
      if (putsBackAtOnce) this.#slots[slot] = value
      else waiting.push(-1 - slot, value)
    }
    return isMatched
  }

  /** Counts the characters of a span as steps, by eights. */
  #passed(from: number, to: number): number {
    this.#spend((to - from) >> 3)
    return to
  }

  #looks({ isAhead, program, min, max }: Instruction & { readonly op: 'look' }, at: number): boolean {
    if (isAhead) return this.#run(program, at, -1, this.#newVisited(program))
    for (let start = at - min; start >= Math.max(0, at - 2 * max); start--) {
      if (this.#run(program, start, at, this.#newVisited(program))) return true
    }
    return false
  }
}

function mayBegin(firstAscii: Uint8Array, text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 128 || firstAscii[unit] === 1 // at the end there is no unit: nothing that must take a character begins there
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 && text.charCodeAt(at - 1) >= 0xd800 && text.charCodeAt(at - 1) <= 0xdbff
}

const isLineEnd = (unit: number): boolean => unit === 0x0a || unit === 0x0d || unit === 0x85 || unit === 0x2028 || unit === 0x2029

function holdsAt(text: string, at: number, kind: AssertKind): boolean {
  const { length } = text
  switch (kind) {
    case 'textStart':
      return at === 0
    case 'textEnd':
      return at === length
    case 'lastLineEnd':
      return at === length || (at === length - 1 && isLineEnd(text.charCodeAt(at))) || (at === length - 2 && text.endsWith('\r\n'))
    case 'lineStart':
      return at === 0 || (at < length && isLineEnd(text.charCodeAt(at - 1)))
    case 'lineEnd':
      return at === length || isLineEnd(text.charCodeAt(at))
    case 'wordBoundary':
      return isWordAt(text, at - 1) !== isWordAt(text, at)
    case 'notWordBoundary':
      return isWordAt(text, at - 1) === isWordAt(text, at)
  }
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && isWordChar(text.charCodeAt(at))
}
