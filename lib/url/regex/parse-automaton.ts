import { anyChar, charsOf, complement, union } from './char-set.js'
import type { Language, Languages } from './derivatives.js'
import { PatternReader } from './regex-error.js'

const maxRepeat = 1000
const maxDepth = 200

/**
 * Reads the syntax of dk.brics.automaton.RegExp with all its operators, as Nutch's AutomatonURLFilter takes it: `|`, `&` (both), `~` (not),
 * `?*+{n,m}`,
 * `[…]`, `.` any character, `#` nothing, `@` any text, `"…"` as it stands, `()` the empty text, `\` before what stands for itself.
 * @throws {RegexSyntaxError}
 */
export function parseAutomaton(source: string, languages: Languages): Language {
  return new AutomatonParser(source, languages).parse()
}

class AutomatonParser {
  readonly #reader: PatternReader
  #depth = 0

  constructor(
    source: string,
    readonly languages: Languages,
  ) {
    this.#reader = new PatternReader(source)
  }

  parse(): Language {
    if (this.#reader.isAtEnd) return this.languages.empty
    const language = this.#union()
    if (!this.#reader.isAtEnd) throw this.#reader.error(') without (')
    return language
  }

  #union(): Language {
    if (++this.#depth > maxDepth) throw this.#reader.error('groups are nested too deeply')
    const options = [this.#intersection()]
    while (this.#reader.take('|')) options.push(this.#intersection())
    this.#depth--
    return this.languages.or(...options)
  }

  #intersection(): Language {
    const parts = [this.#concatenation()]
    while (this.#reader.take('&')) parts.push(this.#concatenation())
    return this.languages.and(...parts)
  }

  #concatenation(): Language {
    const parts = [this.#repeat()]
    while (!this.#reader.isAtEnd && !/[)|&]/.test(this.#reader.peek())) parts.push(this.#repeat())
    return parts.reduceRight((rest, part) => this.languages.concat(part, rest))
  }

  #repeat(): Language {
    let language = this.#complement()
    for (;;) {
      if (this.#reader.take('?')) language = this.languages.or(language, this.languages.empty)
      else if (this.#reader.take('*')) language = this.languages.star(language)
      else if (this.#reader.take('+')) language = this.languages.concat(language, this.languages.star(language))
      else if (this.#reader.peek() === '{') language = this.#counted(language)
      else return language
    }
  }

  #counted(language: Language): Language {
    const counts = this.#reader.takeMatch(/\{([0-9]+)(?:(,)([0-9]+)?)?\}/y)
    if (counts === undefined) throw this.#reader.error('{ is not followed by counts and }')
    const min = Number(counts[1])
    const max = counts[3] === undefined ? min : Number(counts[3])
    if (min > maxRepeat || max > maxRepeat) throw this.#reader.error(`more than ${maxRepeat} repeats`)
    const { languages } = this
    let rest = counts[2] !== undefined && counts[3] === undefined ? languages.star(language) : languages.empty
    for (let count = min; count < max; count++) rest = languages.or(languages.empty, languages.concat(language, rest))
    for (let count = 0; count < min; count++) rest = languages.concat(language, rest)
    return rest
  }

  #complement(): Language {
    if (!this.#reader.take('~')) return this.#charClass()
    if (++this.#depth > maxDepth) throw this.#reader.error('~ is nested too deeply')
    const language = this.languages.not(this.#complement())
    this.#depth--
    return language
  }

  #charClass(): Language {
    if (!this.#reader.take('[')) return this.#simple()
    const isNegated = this.#reader.take('^')
    let set = this.#range()
    while (!this.#reader.take(']')) {
      if (this.#reader.isAtEnd) throw this.#reader.error('[ is not closed')
      set = union(set, this.#range())
    }
    return this.languages.set(isNegated ? complement(set) : set)
  }

  #range(): readonly number[] {
    const from = this.#char()
    if (this.#reader.peek() !== '-' || this.#reader.text.charAt(this.#reader.position + 1) === ']') return charsOf(from)
    this.#reader.next()
    const [low, high] = [from.codePointAt(0) as number, this.#char().codePointAt(0) as number]
    if (high < low) throw this.#reader.error('range in [] has no order')
    return [low, high]
  }

  #simple(): Language {
    const { languages } = this
    const reader = this.#reader
    if (reader.take('.')) return languages.set(anyChar)
    if (reader.take('#')) return languages.none
    if (reader.take('@')) return languages.star(languages.set(anyChar))
    if (reader.take('"')) return this.#quoted()
    if (reader.take('()')) return languages.empty
    if (reader.take('(')) {
      const inner = this.#union()
      if (!reader.take(')')) throw reader.error('( is not closed')
      return inner
    }
    if (reader.peek() === '<') throw reader.error('<…> (named automata and numeric intervals) has no equivalent here')
    return languages.set(charsOf(this.#char()))
  }

  #quoted(): Language {
    const end = this.#reader.text.indexOf('"', this.#reader.position)
    if (end < 0) throw this.#reader.error('" is not closed')
    const text = this.#reader.text.slice(this.#reader.position, end)
    this.#reader.position = end + 1
    return Array.from(text, char => this.languages.set(charsOf(char))).reduceRight(
      (rest, char) => this.languages.concat(char, rest),
      this.languages.empty,
    )
  }

  #char(): string {
    this.#reader.take('\\')
    const char = this.#reader.next()
    if (char === '') throw this.#reader.error('a character wanted')
    return char
  }
}
