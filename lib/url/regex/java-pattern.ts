import { type Captures, search } from './backtrack.js'
import type { DfaPattern } from './multi-dfa.js'
import { parseJavaRegex } from './parse-java-regex.js'
import { compileApproximation, compileProgram, type Program } from './program.js'
import { RegexSyntaxError } from './regex-error.js'
import type { ParsedRegex, RegexNode } from './regex-node.js'

/** Steps that one search may take; about 30 ms at worst. Only patterns with back references, or long texts, ever come near. */
export const defaultStepLimit = 1_000_000

/** A pattern of java.util.regex, compiled: its automaton says where it can match, its program where it does. */
export class JavaPattern implements DfaPattern {
  readonly program: Program
  readonly isExact: boolean
  readonly #parsed: ParsedRegex
  #finder: Program | undefined
  #tester: Program | undefined

  /** @throws {RegexSyntaxError} for what is wrong or has no equivalent */
  constructor(
    readonly source: string,
    readonly stepLimit = defaultStepLimit,
  ) {
    this.#parsed = parseJavaRegex(source)
    const { program, isExact } = compileApproximation(this.#parsed.node)
    this.program = program
    this.isExact = isExact
    if (!isExact) this.#tester = compileProgram(withoutLeadingLoop(this.#parsed.node), this.#parsed.captureCount)
  }

  /** Whether it matches somewhere in `text`. @throws {StepLimitError} */
  test(text: string): boolean {
    this.#tester ??= compileProgram(withoutLeadingLoop(this.#parsed.node), this.#parsed.captureCount)
    return search(this.#tester, text, 0, this.stepLimit) !== undefined
  }

  /** The first match at or after `from`. @throws {StepLimitError} */
  find(text: string, from = 0): Captures | undefined {
    this.#finder ??= compileProgram(this.#parsed.node, this.#parsed.captureCount)
    return search(this.#finder, text, from, this.stepLimit)
  }

  /** Java's Matcher.replaceAll. @throws {StepLimitError} */
  replaceAll(text: string, template: ReplacementTemplate): string {
    let result = ''
    let copied = 0
    let from = 0
    while (from <= text.length) {
      const captures = this.find(text, from)
      if (captures === undefined) break
      const [start, end] = captures as [number, number, ...number[]]
      result += text.slice(copied, start) + template.expand(text, captures)
      copied = end
      from = end > start ? end : end + 1
    }
    return result + text.slice(copied)
  }

  /** Reads a replacement in Java's notation: `$1`, `${name}`, and a backslash before what stands for itself. @throws {RegexSyntaxError} */
  template(replacement: string): ReplacementTemplate {
    return new ReplacementTemplate(replacement, this.#parsed)
  }
}

/** Where only the existence of a match counts, a leading `.*` changes nothing: a search tries all starts anyway. */
function withoutLeadingLoop(node: RegexNode): RegexNode {
  if (node.kind !== 'concat') return node
  const [first, ...rest] = node.parts
  const isLoop = first?.kind === 'repeat' && first.min === 0 && first.node.kind === 'set'
  return isLoop ? withoutLeadingLoop({ kind: 'concat', parts: rest }) : node
}

/** A replacement: text and numbers of groups. */
export class ReplacementTemplate {
  readonly #parts: readonly (string | number)[]

  constructor(replacement: string, { captureCount, captureNames }: Pick<ParsedRegex, 'captureCount' | 'captureNames'>) {
    const parts: (string | number)[] = []
    const token = /\\([\s\S])|\$\{([A-Za-z][A-Za-z0-9]*)\}|\$([0-9])([0-9]*)|([^\\$]+)/y
    while (token.lastIndex < replacement.length) {
      const at = token.lastIndex
      const match = token.exec(replacement)
      if (match === null) throw new RegexSyntaxError(`replacement holds a ${replacement.charAt(at)} that stands for nothing`)
      const [, escaped, name, digit, more, text] = match
      if (name !== undefined) parts.push(groupNamed(name, captureNames))
      else if (digit !== undefined) parts.push(...groupNumbered(Number(digit), more ?? '', captureCount))
      else parts.push(escaped ?? text ?? '')
    }
    this.#parts = parts
  }

  expand(text: string, captures: Captures): string {
    let result = ''
    for (const part of this.#parts) {
      if (typeof part === 'string') result += part
      else if ((captures[2 * part] as number) >= 0) result += text.slice(captures[2 * part], captures[2 * part + 1])
    }
    return result
  }
}

function groupNamed(name: string, names: ReadonlyMap<string, number>): number {
  const index = names.get(name)
  if (index === undefined) throw new RegexSyntaxError(`replacement names a group ${name} that the pattern does not have`)
  return index
}

/** Takes further digits while a group of that number exists; the rest is text. */
function groupNumbered(first: number, digits: string, captureCount: number): [number, string] {
  let index = first
  let used = 0
  while (used < digits.length && index * 10 + Number(digits[used]) <= captureCount) index = index * 10 + Number(digits[used++])
  if (index > captureCount) throw new RegexSyntaxError(`replacement names group ${index}, the pattern has ${captureCount}`)
  return [index, digits.slice(used)]
}
