import { StepLimitError } from './backtrack.js'
import type { JavaPattern } from './java-pattern.js'
import { MultiDfa } from './multi-dfa.js'

const endsInLineTerminator = /[\n\r\u0085\u2028\u2029]$/

/** Whether one of the patterns matches could not be found out within its steps. */
export class UndecidedPatternError extends Error {
  override readonly name = 'UndecidedPatternError'
  constructor(
    readonly index: number,
    cause: StepLimitError,
  ) {
    super(`the pattern gave ${cause.message}`, { cause })
  }
}

/** Patterns in order, of which the first that is found in a text counts. Its automaton is made when it is first asked. */
export class PatternList {
  #automaton: MultiDfa | undefined

  constructor(readonly patterns: readonly JavaPattern[]) {}

  /** Index of the first pattern that is found in `text`, or -1. @throws {UndecidedPatternError} */
  firstIn(text: string): number {
    if (this.patterns.length === 0) return -1
    // what `$` means there the automaton does not know
    if (endsInLineTerminator.test(text)) return this.patterns.findIndex((_, index) => this.#isFound(index, text))
    this.#automaton ??= new MultiDfa(this.patterns)
    const { exact, candidates } = this.#automaton.match(text)
    for (const index of candidates) if (this.#isFound(index, text)) return index
    return exact
  }

  #isFound(index: number, text: string): boolean {
    try {
      return (this.patterns[index] as JavaPattern).test(text)
    } catch (error) {
      throw error instanceof StepLimitError ? new UndecidedPatternError(index, error) : error
    }
  }
}
