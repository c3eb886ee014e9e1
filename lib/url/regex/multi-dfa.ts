import type { CharSet } from './char-set.js'
import type { Instruction, Program } from './program.js'

/** Patterns in the order of their rank. */
export interface DfaPattern {
  readonly program: Program
  /** Whether a match is final; else it is a candidate to be confirmed, and a later pattern may decide as well. */
  readonly isExact: boolean
}

/** What a text may match: the lowest exact pattern, and all candidates below it. */
export interface DfaResult {
  /** Index of the first exact pattern that matches, or -1. */
  readonly exact: number
  /** Inexact patterns below `exact` that may match, ascending. */
  readonly candidates: readonly number[]
}

interface State {
  /** Instructions that wait for a character or for the end, of all patterns, ascending. */
  readonly threads: readonly number[]
  readonly result: DfaResult
  /** What the text matches if it ends here; filled when asked for. */
  atEnd: DfaResult | undefined
}

const maxStates = 4_000
const noResult: DfaResult = { exact: -1, candidates: [] }

/**
 * Looks for many patterns in one pass over the text, whatever they are: a lazily built automaton (RE2's set match). Time is linear in the text;
 * memory is bounded by throwing the states away when there are too many.
 */
export class MultiDfa {
  readonly #code: Instruction[] = []
  readonly #patternOf: number[] = []
  readonly #starts: number[] = []
  readonly #isExact: readonly boolean[]
  readonly #asciiClasses: Uint16Array
  readonly #bounds: readonly number[]
  readonly #classCount: number
  /** A code point of each class. */
  readonly #samples: readonly number[]
  #states: State[] = []
  #indexes = new Map<string, number>()
  #moves: Int32Array
  #isFinished: Uint8Array

  constructor(patterns: readonly DfaPattern[]) {
    this.#isExact = patterns.map(pattern => pattern.isExact)
    for (const [pattern, { program }] of patterns.entries()) this.#append(program, pattern)
    this.#bounds = boundsOf(this.#code)
    this.#classCount = this.#bounds.length
    this.#samples = this.#bounds
    this.#asciiClasses = Uint16Array.from({ length: 128 }, (_, code) => this.#classOf(code))
    this.#moves = new Int32Array(16 * this.#classCount).fill(-1)
    this.#isFinished = new Uint8Array(16)
    this.#reset()
  }

  /** Which patterns match somewhere in `text`. The caller sees to texts that end in a line terminator. */
  match(text: string): DfaResult {
    const { length } = text
    if (length === 0) return this.#close(this.#starts, noResult, true, true).result
    const ascii = this.#asciiClasses
    const classCount = this.#classCount
    let moves = this.#moves
    let state = 0
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at)
      let charClass = 0
      if (unit < 128) charClass = ascii[unit] as number
      else {
        const code = text.codePointAt(at) as number
        if (code > 0xffff) at++
        charClass = this.#classOf(code)
      }
      let next = moves[state * classCount + charClass] as number
      if (next < 0) {
        next = this.#move(state, charClass)
        moves = this.#moves
        if (this.#isFinished[next] === 1) return (this.#states[next] as State).result
      }
      state = next
    }
    const last = this.#states[state] as State
    last.atEnd ??= this.#resultAtEnd(last)
    return last.atEnd
  }

  #append({ code }: Program, pattern: number): void {
    const base = this.#code.length
    this.#starts.push(base)
    for (const instruction of code) {
      this.#patternOf.push(pattern)
      if (instruction.op === 'split') this.#code.push({ op: 'split', to: instruction.to + base, or: instruction.or + base })
      else if (instruction.op === 'jump') this.#code.push({ op: 'jump', to: instruction.to + base })
      else this.#code.push(instruction)
    }
  }

  /** Index of the class that a code point is in: the last bound not above it. */
  #classOf(code: number): number {
    let low = 0
    let high = this.#bounds.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#bounds[middle] as number) <= code) low = middle
      else high = middle - 1
    }
    return low
  }

  #reset(): void {
    this.#states = []
    this.#indexes.clear()
    this.#moves.fill(-1)
    this.#isFinished.fill(0)
    this.#add(this.#close(this.#starts, noResult, true, false))
  }

  #add(state: State): number {
    const { exact, candidates } = state.result
    const key = `${exact};${candidates.join(',')};${state.threads.join(',')}`
    const known = this.#indexes.get(key)
    if (known !== undefined) return known
    const index = this.#states.push(state) - 1
    this.#indexes.set(key, index)
    if (this.#isFinished.length <= index) this.#grow()
    this.#isFinished[index] = exact === 0 ? 1 : 0
    return index
  }

  #grow(): void {
    const moves = new Int32Array(2 * this.#moves.length).fill(-1)
    moves.set(this.#moves)
    this.#moves = moves
    const isFinished = new Uint8Array(2 * this.#isFinished.length)
    isFinished.set(this.#isFinished)
    this.#isFinished = isFinished
  }

  #move(from: number, charClass: number): number {
    const { threads, result } = this.#states[from] as State
    const code = this.#samples[charClass] as number
    const moved: number[] = []
    for (const thread of threads) {
      const instruction = this.#code[thread] as Instruction
      if (instruction.op === 'char' && holds(instruction.set, code)) moved.push(thread + 1)
    }
    const state = this.#close([...moved, ...this.#starts], result, false, false)
    if (this.#states.length < maxStates) {
      const next = this.#add(state)
      this.#moves[from * this.#classCount + charClass] = next
      return next
    }
    this.#reset()
    return this.#add(state)
  }

  #resultAtEnd({ threads, result }: State): DfaResult {
    return this.#close(threads, result, false, true).result
  }

  /** Follows what takes no character; drops what can no longer change the result. */
  #close(entries: readonly number[], before: DfaResult, isStart: boolean, isEnd: boolean): State {
    const seen = new Set<number>()
    const waiting = [...entries].reverse()
    const candidates = new Set(before.candidates)
    let exact = before.exact
    const threads: number[] = []
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const pattern = this.#patternOf[index] as number
      if (seen.has(index) || (exact >= 0 && pattern >= exact) || candidates.has(pattern)) continue
      seen.add(index)
      const instruction = this.#code[index] as Instruction
      if (instruction.op === 'match') {
        if (this.#isExact[pattern] === true) exact = pattern
        else candidates.add(pattern)
      } else if (instruction.op === 'split') waiting.push(instruction.or, instruction.to)
      else if (instruction.op === 'jump') waiting.push(instruction.to)
      else if (instruction.op === 'char') threads.push(index)
      else if (instruction.op === 'assert') this.#closeAssert(index, instruction.at === 'textStart', isStart, isEnd, waiting, threads)
    }
    const isLive = (pattern: number): boolean => (exact < 0 || pattern < exact) && !candidates.has(pattern)
    const live = threads.filter(thread => isLive(this.#patternOf[thread] as number)).sort((a, b) => a - b)
    const result = { exact, candidates: [...candidates].filter(pattern => exact < 0 || pattern < exact).sort((a, b) => a - b) }
    return { threads: live, result, atEnd: undefined }
  }

  #closeAssert(index: number, isStartAssert: boolean, isStart: boolean, isEnd: boolean, waiting: number[], threads: number[]): void {
    if (isStartAssert) {
      if (isStart) waiting.push(index + 1)
    } else if (isEnd) waiting.push(index + 1)
    else threads.push(index)
  }
}

function holds(set: CharSet, code: number): boolean {
  for (let index = 0; index < set.length; index += 2) {
    if (code < (set[index] as number)) return false
    if (code <= (set[index + 1] as number)) return true
  }
  return false
}

/** First code points of the classes: within one, no set tells two code points apart. */
function boundsOf(code: readonly Instruction[]): number[] {
  const bounds = new Set([0])
  for (const instruction of code) {
    if (instruction.op !== 'char') continue
    for (let index = 0; index < instruction.set.length; index += 2) {
      bounds.add(instruction.set[index] as number)
      bounds.add((instruction.set[index + 1] as number) + 1)
    }
  }
  return [...bounds].filter(bound => bound <= 0x10ffff).sort((a, b) => a - b)
}
