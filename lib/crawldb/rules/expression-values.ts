/** What a part of an expression can be; `undefined` is null. */
export type ExpressionValue = string | number | boolean | undefined | readonly ExpressionValue[]
export type Evaluate<Subject> = (subject: Subject) => ExpressionValue

/** A condition: `true`, a number but 0, a text but the empty one and `false`. */
export function isTruth(value: ExpressionValue): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0 && !Number.isNaN(value)
  if (typeof value === 'string') return value !== '' && value !== 'false'
  return value !== undefined
}

/** Null counts as 0, as in JEXL; a text as the number it spells. NaN if it is none. */
export function toNumber(value: ExpressionValue): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return value.trim() === '' ? Number.NaN : Number(value)
  return value === true ? 1 : value === undefined || value === false ? 0 : Number.NaN
}

function toText(value: ExpressionValue): string {
  return Array.isArray(value) ? value.map(toText).join(',') : String(value ?? '')
}

/** Metadata is text, so that a text beside a number is compared as the number it spells. */
function isEqual(a: ExpressionValue, b: ExpressionValue): boolean {
  if (a === undefined || b === undefined) return a === b
  if (typeof a === 'number' || typeof b === 'number') return toNumber(a) === toNumber(b)
  if (typeof a === 'boolean' || typeof b === 'boolean') return String(a) === String(b)
  return toText(a) === toText(b)
}

/** Below 0, 0 or above; NaN, which no comparison accepts, where there is no order. */
function compare(a: ExpressionValue, b: ExpressionValue): number {
  if (a === undefined || b === undefined) return Number.NaN
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return toNumber(a) - toNumber(b)
}

function add(a: ExpressionValue, b: ExpressionValue): ExpressionValue {
  const sum = toNumber(a) + toNumber(b)
  return Number.isNaN(sum) && (typeof a === 'string' || typeof b === 'string') ? toText(a) + toText(b) : sum
}

type Binary = (a: ExpressionValue, b: ExpressionValue) => ExpressionValue

/** Operators but those that do not always look at both sides. */
export const binaryOperators: Readonly<Record<string, Binary>> = {
  '==': isEqual,
  '===': isEqual,
  '!=': (a, b) => !isEqual(a, b),
  '!==': (a, b) => !isEqual(a, b),
  '<': (a, b) => compare(a, b) < 0,
  '<=': (a, b) => compare(a, b) <= 0,
  '>': (a, b) => compare(a, b) > 0,
  '>=': (a, b) => compare(a, b) >= 0,
  '+': add,
  '-': (a, b) => toNumber(a) - toNumber(b),
  '*': (a, b) => toNumber(a) * toNumber(b),
  '/': (a, b) => toNumber(a) / toNumber(b),
  '%': (a, b) => toNumber(a) % toNumber(b),
  '=^': (a, b) => toText(a).startsWith(toText(b)),
  '!^': (a, b) => !toText(a).startsWith(toText(b)),
  '=$': (a, b) => toText(a).endsWith(toText(b)),
  '!$': (a, b) => !toText(a).endsWith(toText(b)),
}

type Call = (...args: ExpressionValue[]) => ExpressionValue

export const expressionFunctions: Readonly<Record<string, Call>> = {
  size: value => (Array.isArray(value) ? value.length : toText(value).length),
  empty: value => (Array.isArray(value) ? value.length === 0 : toText(value) === ''),
  abs: value => Math.abs(toNumber(value)),
  floor: value => Math.floor(toNumber(value)),
  round: value => Math.round(toNumber(value)),
  min: (...values) => Math.min(...values.map(toNumber)),
  max: (...values) => Math.max(...values.map(toNumber)),
}

type Method = (self: string, ...args: ExpressionValue[]) => ExpressionValue

/** Methods of java.lang.String that expressions of Nutch's users call. */
export const stringMethods: Readonly<Record<string, Method>> = {
  startsWith: (self, part) => self.startsWith(toText(part)),
  endsWith: (self, part) => self.endsWith(toText(part)),
  contains: (self, part) => self.includes(toText(part)),
  equals: (self, other) => self === toText(other),
  indexOf: (self, part) => self.indexOf(toText(part)),
  length: self => self.length,
  toLowerCase: self => self.toLowerCase(),
  toUpperCase: self => self.toUpperCase(),
  trim: self => self.trim(),
}
