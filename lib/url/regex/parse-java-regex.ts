import { anyChar, charsOf, complement, foldAscii, lineTerminators } from './char-set.js'
import { parseCharClass, readQuoted } from './parse-char-class.js'
import { parseSetEscape } from './parse-escape.js'
import { PatternReader } from './regex-error.js'
import { type AssertKind, emptyNode, type ParsedRegex, type RegexNode, widthOf } from './regex-node.js'

interface Flags {
  readonly ignoresCase: boolean
  readonly isMultiline: boolean
  readonly dotMatchesAll: boolean
  readonly hasUnixLines: boolean
  readonly isExtended: boolean
}
const noFlags: Flags = { ignoresCase: false, isMultiline: false, dotMatchesAll: false, hasUnixLines: false, isExtended: false }
const maxRepeat = 1000
const maxDepth = 200

/**
 * Parses the dialect of java.util.regex.Pattern.
 * @throws {RegexSyntaxError} for what is wrong, and for what has no equivalent here, with its place
 */
export function parseJavaRegex(pattern: string): ParsedRegex {
  return new JavaRegexParser(pattern).parse()
}

class JavaRegexParser {
  readonly #reader: PatternReader
  readonly #names = new Map<string, number>()
  #captures = 0
  #depth = 0
  #flags = noFlags

  constructor(pattern: string) {
    this.#reader = new PatternReader(pattern)
  }

  parse(): ParsedRegex {
    const node = this.#alternation()
    if (!this.#reader.isAtEnd) throw this.#reader.error(') without (')
    return { node, captureCount: this.#captures, captureNames: this.#names }
  }

  #alternation(): RegexNode {
    if (++this.#depth > maxDepth) throw this.#reader.error('groups are nested too deeply')
    const options = [this.#sequence()]
    while (this.#reader.take('|')) options.push(this.#sequence())
    this.#depth--
    return options.length === 1 ? (options[0] as RegexNode) : { kind: 'alternate', options }
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = []
    for (;;) {
      if (this.#flags.isExtended) this.#reader.takeMatch(/(?:\s|#[^\n]*)+/y)
      const char = this.#reader.peek()
      if (char === '' || char === '|' || char === ')') break
      if (this.#reader.take('\\Q')) {
        for (const quoted of readQuoted(this.#reader)) parts.push(this.#literal(quoted))
        const last = parts.pop()
        if (last !== undefined) parts.push(this.#quantified(last))
      } else parts.push(this.#quantified(this.#atom()))
    }
    return parts.length === 1 ? (parts[0] as RegexNode) : parts.length === 0 ? emptyNode : { kind: 'concat', parts }
  }

  #atom(): RegexNode {
    const char = this.#reader.next()
    switch (char) {
      case '(':
        return this.#group()
      case '[':
        return { kind: 'set', set: parseCharClass(this.#reader, this.#flags.ignoresCase) }
      case '.':
        return { kind: 'set', set: this.#dot() }
      case '^':
        return assertion(this.#flags.isMultiline ? 'lineStart' : 'textStart')
      case '$':
        return assertion(this.#flags.isMultiline ? 'lineEnd' : 'lastLineEnd')
      case '\\':
        return this.#escape()
      case '*':
      case '+':
      case '?':
      case '{':
        throw this.#reader.error(`${char} repeats nothing`)
      default:
        return this.#literal(char)
    }
  }

  #dot() {
    if (this.#flags.dotMatchesAll) return anyChar
    return complement(this.#flags.hasUnixLines ? charsOf('\n') : lineTerminators)
  }

  #literal(char: string): RegexNode {
    const set = charsOf(char)
    return { kind: 'set', set: this.#flags.ignoresCase ? foldAscii(set) : set }
  }

  #escape(): RegexNode {
    const reader = this.#reader
    const named = reader.takeMatch(/k<([A-Za-z][A-Za-z0-9]*)>/y)
    if (named !== undefined) {
      const index = this.#names.get(named[1] as string)
      if (index === undefined) throw reader.error(`no group named ${named[1]} before it`)
      return { kind: 'backref', index, ignoresCase: this.#flags.ignoresCase }
    }
    const digit = reader.takeMatch(/[1-9]/y)
    if (digit !== undefined) return this.#backref(Number(digit[0]))
    const asserted = asserts[reader.peek()]
    if (asserted !== undefined) {
      reader.next()
      return assertion(asserted)
    }
    if (reader.take('R')) return lineBreak
    const set = parseSetEscape(reader)
    return { kind: 'set', set: this.#flags.ignoresCase ? foldAscii(set) : set }
  }

  /** Further digits count only while a group of that number exists, as in Java. */
  #backref(first: number): RegexNode {
    let index = first
    for (let more = this.#nextDigit(); more !== undefined && index * 10 + more <= this.#captures; more = this.#nextDigit()) {
      index = index * 10 + more
      this.#reader.next()
    }
    if (index > this.#captures) throw this.#reader.error(`no group ${index} before it`)
    return { kind: 'backref', index, ignoresCase: this.#flags.ignoresCase }
  }

  #nextDigit(): number | undefined {
    const char = this.#reader.peek()
    return /^[0-9]$/.test(char) ? Number(char) : undefined
  }

  #group(): RegexNode {
    const reader = this.#reader
    const before = this.#flags
    const node = this.#groupBody()
    if (node === undefined) return emptyNode // flags alone hold up to the end of the group around them
    if (!reader.take(')')) throw reader.error('( is not closed')
    this.#flags = before
    return node
  }

  #groupBody(): RegexNode | undefined {
    const reader = this.#reader
    if (!reader.take('?')) return this.#capture()
    if (reader.take(':')) return this.#alternation()
    if (reader.take('>')) return { kind: 'atomic', node: this.#alternation() }
    const look = reader.takeMatch(/<?[=!]/y)
    if (look !== undefined) return this.#look(look[0])
    const name = reader.takeMatch(/<([A-Za-z][A-Za-z0-9]*)>/y)
    if (name !== undefined) return this.#capture(name[1])
    const flags = reader.takeMatch(/([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])/y)
    if (flags === undefined) throw reader.error('(? is not followed by anything known')
    this.#setFlags(flags[1] as string, true)
    this.#setFlags(flags[2] ?? '', false)
    return flags[3] === ')' ? undefined : this.#alternation()
  }

  #capture(name?: string): RegexNode {
    const index = ++this.#captures
    if (name !== undefined) this.#names.set(name, index)
    return { kind: 'capture', index, node: this.#alternation() }
  }

  #look(token: string): RegexNode {
    const isAhead = token.length === 1
    const node = this.#alternation()
    if (!isAhead && widthOf(node).max === Number.POSITIVE_INFINITY) throw this.#reader.error('look-behind has no greatest length')
    return { kind: 'look', isAhead, isNegative: token.endsWith('!'), node }
  }

  #setFlags(letters: string, value: boolean): void {
    for (const letter of letters) {
      const flag = flagNames[letter]
      if (flag === undefined) throw this.#reader.error(`flag ${letter} has no equivalent here`)
      this.#flags = { ...this.#flags, [flag]: value }
    }
  }

  #quantified(atom: RegexNode): RegexNode {
    let node = atom
    for (;;) {
      if (this.#flags.isExtended) this.#reader.takeMatch(/(?:\s|#[^\n]*)+/y)
      const bounds = this.#quantifier()
      if (bounds === undefined) return node
      const isLazy = this.#reader.take('?')
      const isPossessive = !isLazy && this.#reader.take('+')
      node = { kind: 'repeat', node, ...bounds, isLazy }
      if (isPossessive) node = { kind: 'atomic', node }
    }
  }

  #quantifier(): { readonly min: number; readonly max: number } | undefined {
    const reader = this.#reader
    if (reader.take('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (reader.take('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (reader.take('?')) return { min: 0, max: 1 }
    if (reader.peek() !== '{') return undefined
    const counts = reader.takeMatch(/\{([0-9]+)(?:(,)([0-9]+)?)?\}/y)
    if (counts === undefined) throw reader.error('{ is not followed by counts and }')
    const min = Number(counts[1])
    const max = counts[2] === undefined ? min : counts[3] === undefined ? Number.POSITIVE_INFINITY : Number(counts[3])
    if (max < min) throw reader.error('greatest count is below the least')
    if (min > maxRepeat || (max !== Number.POSITIVE_INFINITY && max > maxRepeat)) throw reader.error(`more than ${maxRepeat} repeats`)
    return { min, max }
  }
}

const flagNames: Readonly<Record<string, keyof Flags>> = {
  i: 'ignoresCase',
  m: 'isMultiline',
  s: 'dotMatchesAll',
  d: 'hasUnixLines',
  x: 'isExtended',
}
const asserts: Readonly<Record<string, AssertKind>> = { b: 'wordBoundary', B: 'notWordBoundary', A: 'textStart', Z: 'lastLineEnd', z: 'textEnd' }
const assertion = (at: AssertKind): RegexNode => ({ kind: 'assert', at })
const lineBreak: RegexNode = {
  kind: 'alternate',
  options: [
    {
      kind: 'concat',
      parts: [
        { kind: 'set', set: charsOf('\r') },
        { kind: 'set', set: charsOf('\n') },
      ],
    },
    { kind: 'set', set: [...charsOf('\n\v\f\r'), 0x85, 0x85, 0x2028, 0x2029] },
  ],
}
