/** A set of code points: bounds of disjoint, sorted, not touching ranges, as `[from, to, from, to, …]`, both ends included. */
export type CharSet = readonly number[]

export const lastCodePoint = 0x10ffff
export const anyChar: CharSet = [0, lastCodePoint]
/** What ends a line for Java's `.`, `^` and `$`. */
export const lineTerminators: CharSet = charSet([0x0a, 0x0a], [0x0d, 0x0d], [0x85, 0x85], [0x2028, 0x2029])

/** The set that holds these ranges, in any order. */
export function charSet(...ranges: readonly (readonly [from: number, to: number])[]): CharSet {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0])
  const bounds: number[] = []
  for (const [from, to] of sorted) {
    const last = bounds.length - 1
    if (last > 0 && from <= (bounds[last] as number) + 1) bounds[last] = Math.max(bounds[last] as number, to)
    else bounds.push(from, to)
  }
  return bounds
}

/** The set of the characters of `text`; `a-z` is not read as a range. */
export function charsOf(text: string): CharSet {
  return charSet(...Array.from(text, char => [char.codePointAt(0) as number, char.codePointAt(0) as number] as const))
}

export function rangesOf(set: CharSet): [number, number][] {
  const ranges: [number, number][] = []
  for (let index = 0; index < set.length; index += 2) ranges.push([set[index] as number, set[index + 1] as number])
  return ranges
}

export function union(...sets: readonly CharSet[]): CharSet {
  return charSet(...sets.flatMap(rangesOf))
}

export function complement(set: CharSet): CharSet {
  const bounds: number[] = []
  let next = 0
  for (const [from, to] of rangesOf(set)) {
    if (from > next) bounds.push(next, from - 1)
    next = to + 1
  }
  if (next <= lastCodePoint) bounds.push(next, lastCodePoint)
  return bounds
}

export function intersection(a: CharSet, b: CharSet): CharSet {
  return complement(union(complement(a), complement(b)))
}

/** Whether the set holds a code point: binary search. */
export function hasChar(set: CharSet, code: number): boolean {
  let low = 0
  let high = set.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (code < (set[2 * middle] as number)) high = middle - 1
    else if (code > (set[2 * middle + 1] as number)) low = middle + 1
    else return true
  }
  return false
}

/** The set with both cases of each ASCII letter it holds in one: what Java's `(?i)` means without `(?u)`. */
export function foldAscii(set: CharSet): CharSet {
  const upper = intersection(set, [0x41, 0x5a])
  const lower = intersection(set, [0x61, 0x7a])
  return union(set, upper.map(toLower), lower.map(toUpper))
}

const toLower = (code: number): number => code + 0x20
const toUpper = (code: number): number => code - 0x20

const digits: CharSet = [0x30, 0x39]
const blanks = charsOf(' \t')
const wordChars = charSet([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a])
const punctuation = charSet([0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e])

/** Java's classes of one letter, without flags: ASCII only, but for `\h` and `\v`. */
export const classesByLetter: ReadonlyMap<string, CharSet> = new Map([
  ['d', digits],
  ['w', wordChars],
  ['s', charsOf(' \t\n\v\f\r')],
  [
    'h',
    charSet(
      [0x20, 0x20],
      [0x09, 0x09],
      [0xa0, 0xa0],
      [0x1680, 0x1680],
      [0x180e, 0x180e],
      [0x2000, 0x200a],
      [0x202f, 0x202f],
      [0x205f, 0x205f],
      [0x3000, 0x3000],
    ),
  ],
  ['v', charSet([0x0a, 0x0d], [0x85, 0x85], [0x2028, 0x2029])],
])

/** Java's POSIX classes: ASCII only. */
export const posixClasses: ReadonlyMap<string, CharSet> = new Map([
  ['Lower', [0x61, 0x7a]],
  ['Upper', [0x41, 0x5a]],
  ['ASCII', [0, 0x7f]],
  ['Alpha', charSet([0x41, 0x5a], [0x61, 0x7a])],
  ['Digit', digits],
  ['Alnum', charSet([0x30, 0x39], [0x41, 0x5a], [0x61, 0x7a])],
  ['Punct', punctuation],
  ['Graph', [0x21, 0x7e]],
  ['Print', [0x20, 0x7e]],
  ['Blank', blanks],
  ['Cntrl', charSet([0, 0x1f], [0x7f, 0x7f])],
  ['XDigit', charSet([0x30, 0x39], [0x41, 0x46], [0x61, 0x66])],
  ['Space', charsOf(' \t\n\v\f\r')],
])

export const isWordChar = (code: number): boolean => hasChar(wordChars, code)

/** All code points with a Unicode property as JavaScript names it, or undefined for a name it does not know. */
export function unicodeProperty(name: string): CharSet | undefined {
  let property: RegExp
  try {
    property = new RegExp(`^\\p{${name}}$`, 'u')
  } catch {
    return undefined
  }
  const bounds: number[] = []
  for (let code = 0; code <= lastCodePoint; code++) {
    if (!property.test(String.fromCodePoint(code))) continue
    if (bounds.length > 0 && bounds[bounds.length - 1] === code - 1) bounds[bounds.length - 1] = code
    else bounds.push(code, code)
  }
  return bounds
}
