import jsep from 'jsep'
import { CrawlError } from '../../errors/crawl-error.js'
import { binaryOperators, type Evaluate, type ExpressionValue, expressionFunctions, isTruth, stringMethods, toNumber } from './expression-values.js'

/** How an expression sees its variables: for a name, what reads it of a subject. Dots may stand in a name. */
export type VariableOf<Subject> = (name: string) => (subject: Subject) => ExpressionValue

/** An expression, compiled once. Both calls throw nothing. */
export interface Expression<Subject> {
  value(subject: Subject): ExpressionValue
  /** Whether the value is `true`, as Nutch asks. */
  test(subject: Subject): boolean
}

export interface ExpressionOptions<Subject> {
  readonly variableOf: VariableOf<Subject>
  /** Compiles a regular expression to a test whether it is found in a text, by an engine of linear time. */
  readonly compilePattern: (pattern: string) => (text: string) => boolean
}

const maxLength = 10_000
const wordOperators: readonly (readonly [word: string, operator: string])[] = [
  ['or', '||'],
  ['and', '&&'],
  ['eq', '=='],
  ['ne', '!='],
  ['lt', '<'],
  ['gt', '>'],
  ['le', '<='],
  ['ge', '>='],
  ['div', '/'],
  ['mod', '%'],
]
for (const [word, operator] of wordOperators) jsep.addBinaryOp(word, jsep.binary_ops[operator] ?? 1)
for (const operator of ['=~', '!~', '=^', '=$', '!^', '!$']) jsep.addBinaryOp(operator, jsep.binary_ops['=='] ?? 6)
jsep.addUnaryOp('not')

/**
 * Compiles an expression in the manner of JEXL, as Nutch takes it: `status == 'db_fetched' && score > 0.5 and url =~ '.*\\.html'`. Variables,
 * literals, lists, operators, `a ? b : c`, a few functions and methods of strings; nothing else can be reached from it.
 * The parser is jsep's; nothing is handed to `eval`.
 * @throws {CrawlError} USAGE naming what cannot be used and where
 */
export function compileExpression<Subject>(text: string, options: ExpressionOptions<Subject>): Expression<Subject> {
  if (text.trim() === '') throw new CrawlError('USAGE', 'expression is empty')
  if (text.length > maxLength) throw new CrawlError('USAGE', `expression is longer than ${maxLength} characters`)
  try {
    const value = new Compiler(options).compile(jsep(text) as jsep.CoreExpression)
    return { value, test: subject => value(subject) === true }
  } catch (cause) {
    if (cause instanceof CrawlError) throw cause
    const reason = cause instanceof RangeError ? 'nested too deep' : cause instanceof Error ? cause.message : String(cause)
    throw new CrawlError('USAGE', `expression cannot be used: ${reason}: ${text.slice(0, 200)}`, { cause })
  }
}

class Compiler<Subject> {
  constructor(private readonly options: ExpressionOptions<Subject>) {}

  compile(node: jsep.CoreExpression): Evaluate<Subject> {
    switch (node.type) {
      case 'Literal':
        return this.literal(node)
      case 'Identifier':
        return this.options.variableOf(node.name)
      case 'MemberExpression':
        return this.options.variableOf(dottedName(node))
      case 'UnaryExpression':
        return this.unary(node)
      case 'BinaryExpression':
        return this.binary(node)
      case 'ConditionalExpression': {
        const [test, then, otherwise] = [node.test, node.consequent, node.alternate].map(part => this.part(part)) as Three<Evaluate<Subject>>
        return subject => (isTruth(test(subject)) ? then(subject) : otherwise(subject))
      }
      case 'ArrayExpression': {
        const elements = node.elements.map(element => this.part(element))
        return subject => elements.map(element => element(subject))
      }
      case 'CallExpression':
        return this.call(node)
      default:
        throw new CrawlError('USAGE', `expression: ${node.type === 'Compound' ? 'more than one expression' : node.type} is not understood`)
    }
  }

  private part(node: jsep.Expression | null): Evaluate<Subject> {
    if (node === null) throw new CrawlError('USAGE', 'expression: an element of a list is missing')
    return this.compile(node as jsep.CoreExpression) // jsep's own nodes; unknown types are refused by the switch
  }

  private literal({ value, raw }: jsep.Literal): Evaluate<Subject> {
    if (value === null) return () => undefined
    if (typeof value === 'object') throw new CrawlError('USAGE', `expression: ${raw} is not understood`)
    const literal = typeof value === 'string' ? unescaped(raw) : value
    return () => literal
  }

  private unary({ operator, argument }: jsep.UnaryExpression): Evaluate<Subject> {
    const value = this.part(argument)
    if (operator === '!' || operator === 'not') return subject => !isTruth(value(subject))
    if (operator === '-') return subject => -toNumber(value(subject))
    if (operator === '+') return subject => toNumber(value(subject))
    throw new CrawlError('USAGE', `expression: operator ${operator} is not understood`)
  }

  private binary(node: jsep.BinaryExpression): Evaluate<Subject> {
    const operator = wordOperators.find(([word]) => word === node.operator)?.[1] ?? node.operator
    const left = this.part(node.left)
    const right = this.part(node.right)
    if (operator === '&&') return subject => isTruth(left(subject)) && isTruth(right(subject))
    if (operator === '||') return subject => isTruth(left(subject)) || isTruth(right(subject))
    if (operator === '??') return subject => left(subject) ?? right(subject)
    if (operator === '=~' || operator === '!~') {
      const matches = this.matching(left, right, node.right)
      return operator === '=~' ? matches : subject => !matches(subject)
    }
    const apply = Object.hasOwn(binaryOperators, operator) ? binaryOperators[operator] : undefined
    if (apply === undefined) throw new CrawlError('USAGE', `expression: operator ${operator} is not understood`)
    return subject => apply(left(subject), right(subject))
  }

  /** A pattern that is a literal is compiled at once, and a wrong one refused; another when it is met, and a wrong one matches nothing. */
  private matching(left: Evaluate<Subject>, right: Evaluate<Subject>, rightNode: jsep.Expression): (subject: Subject) => boolean {
    if (rightNode.type === 'Literal') {
      const test = this.wholeMatch(unescaped(String(rightNode.raw)))
      return subject => test(String(left(subject) ?? ''))
    }
    const compiled = new Map<string, (text: string) => boolean>()
    return subject => {
      const wanted = right(subject)
      const text = String(left(subject) ?? '')
      if (Array.isArray(wanted)) return wanted.some(one => String(one ?? '') === text)
      const pattern = String(wanted ?? '')
      let test = compiled.get(pattern)
      if (test === undefined) {
        test = this.tryPattern(pattern)
        if (compiled.size >= 100) compiled.clear()
        compiled.set(pattern, test)
      }
      return test(text)
    }
  }

  /** As Java's String.matches: the whole text. */
  private wholeMatch(pattern: string): (text: string) => boolean {
    return this.options.compilePattern(`^(?:${pattern})$`)
  }

  private tryPattern(pattern: string): (text: string) => boolean {
    try {
      return this.wholeMatch(pattern)
    } catch {
      return () => false // a variable's text that is no pattern matches nothing
    }
  }

  private call({ callee, arguments: args }: jsep.CallExpression): Evaluate<Subject> {
    const values = args.map(arg => this.part(arg))
    if (callee.type === 'Identifier') {
      const name = String(callee.name)
      const apply = Object.hasOwn(expressionFunctions, name) ? expressionFunctions[name] : undefined
      if (apply === undefined)
        throw new CrawlError('USAGE', `expression: no function ${name}; there are ${Object.keys(expressionFunctions).join(', ')}`)
      return subject => apply(...values.map(value => value(subject)))
    }
    const { object, property, computed } = callee as jsep.MemberExpression // the one other callee that jsep gives; checked below
    const name = computed ? undefined : String(property?.name)
    if (name === 'matches' && args[0] !== undefined) return this.matching(this.part(object), values[0] as Evaluate<Subject>, args[0])
    const apply = name !== undefined && Object.hasOwn(stringMethods, name) ? stringMethods[name] : undefined
    if (apply === undefined)
      throw new CrawlError('USAGE', `expression: no method ${name ?? '[…]'}; there are matches, ${Object.keys(stringMethods).join(', ')}`)
    const self = this.part(object)
    return subject => apply(String(self(subject) ?? ''), ...values.map(value => value(subject)))
  }
}

/** A text as JEXL reads it: only quotes, backslashes and `\\u` are escaped, so that `\\.` reaches a pattern as it is. */
function unescaped(raw: string): string {
  const quote = raw[0]
  if (quote !== '"' && quote !== "'") return raw
  return raw
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|([\\'"]))/g, (_, hex: string | undefined, kept: string) =>
      hex === undefined ? kept : String.fromCharCode(Number.parseInt(hex, 16)),
    )
}

type Three<T> = [T, T, T]

/** `nutch.segment.name` is one variable. */
function dottedName({ object, property, computed }: jsep.MemberExpression): string {
  if (computed) throw new CrawlError('USAGE', 'expression: […] behind a value is not understood')
  if (object.type === 'Identifier') return `${object.name}.${property.name}`
  if (object.type === 'MemberExpression') return `${dottedName(object as jsep.MemberExpression)}.${property.name}` // by its type
  throw new CrawlError('USAGE', `expression: .${property.name} behind a value is not understood`)
}
