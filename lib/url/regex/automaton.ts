import { type Language, LanguageLimitError, Languages } from './derivatives.js'
import { parseAutomaton } from './parse-automaton.js'
import { RegexSyntaxError } from './regex-error.js'

const maxStates = 20_000

/**
 * An expression of dk.brics.automaton, matched against whole texts in linear time. Its states are made as texts need them, and forgotten when too
 * many.
 */
export class Automaton {
  #languages = new Languages()
  #start: Language
  /** By state: the next state for each code point seen. */
  #moves = new Map<Language, Map<number, Language>>()

  /** @throws {RegexSyntaxError} */
  constructor(readonly source: string) {
    this.#start = this.#build()
  }

  /** @throws {LanguageLimitError} if the expression needs too much memory for this text */
  matches(text: string): boolean {
    if (this.#moves.size > maxStates) this.#forget()
    try {
      return this.#run(text)
    } catch (error) {
      if (error instanceof LanguageLimitError) this.#forget()
      throw error
    }
  }

  #run(text: string): boolean {
    let state = this.#start
    for (let at = 0; at < text.length && state !== this.#languages.none; at++) {
      const code = text.codePointAt(at) as number
      if (code > 0xffff) at++
      state = this.#moves.get(state)?.get(code) ?? this.#move(state, code)
    }
    return state.isNullable
  }

  #move(state: Language, code: number): Language {
    const next = this.#languages.derivative(state, code)
    let moves = this.#moves.get(state)
    if (moves === undefined) {
      moves = new Map()
      this.#moves.set(state, moves)
    }
    moves.set(code, next)
    return next
  }

  #forget(): void {
    this.#moves = new Map()
    this.#languages = new Languages()
    this.#start = this.#build()
  }

  #build(): Language {
    try {
      return parseAutomaton(this.source, this.#languages)
    } catch (error) {
      if (error instanceof LanguageLimitError) throw new RegexSyntaxError(`it is too large: ${error.message}`)
      throw error
    }
  }
}
