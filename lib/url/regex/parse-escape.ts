import { type CharSet, charSet, classesByLetter, complement, posixClasses, unicodeProperty } from './char-set.js'
import type { PatternReader } from './regex-error.js'

/** Reads an escape that stands for one character or a set of them, behind its backslash: the same inside and outside of brackets. */
export function parseSetEscape(reader: PatternReader): CharSet {
  const letter = reader.next()
  if (letter === '') throw reader.error('backslash at the end')
  if (letter === 'p' || letter === 'P') {
    const set = parseProperty(reader)
    return letter === 'p' ? set : complement(set)
  }
  const known = classesByLetter.get(letter.toLowerCase())
  if (known !== undefined) return letter === letter.toLowerCase() ? known : complement(known)
  const code = parseCodePoint(reader, letter)
  return [code, code]
}

const simple: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, r: 0x0d, f: 0x0c, a: 0x07, e: 0x1b }

function parseCodePoint(reader: PatternReader, letter: string): number {
  const fixed = Object.hasOwn(simple, letter) ? simple[letter] : undefined
  if (fixed !== undefined) return fixed
  const digits =
    letter === 'x'
      ? (reader.takeMatch(/([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\}/y) ?? fail(reader, 'two hex digits or {…} wanted behind \\x'))
      : letter === 'u'
        ? (reader.takeMatch(/([0-9A-Fa-f]{4})/y) ?? fail(reader, 'four hex digits wanted behind \\u'))
        : undefined
  if (digits !== undefined) return Number.parseInt(digits[1] ?? (digits[2] as string), 16)
  if (letter === '0') {
    const octal = reader.takeMatch(/[0-3]?[0-7]{1,2}/y) ?? fail(reader, 'octal digits wanted behind \\0')
    return Number.parseInt(octal[0], 8)
  }
  if (letter === 'c') return (reader.next().codePointAt(0) ?? fail(reader, 'a character wanted behind \\c')) ^ 64
  if (/[A-Za-z]/.test(letter)) throw reader.error(`\\${letter} has no equivalent here`)
  return letter.codePointAt(0) as number
}

function fail(reader: PatternReader, reason: string): never {
  throw reader.error(reason)
}

const javaClasses: Readonly<Record<string, string>> = {
  javaLowerCase: 'Lowercase',
  javaUpperCase: 'Uppercase',
  javaWhitespace: 'White_Space',
  javaLetter: 'L',
  javaDigit: 'Nd',
  javaLetterOrDigit: 'javaLetterOrDigit',
}

function parseProperty(reader: PatternReader): CharSet {
  const name = reader.takeMatch(/\{([^}]*)\}|([A-Z])/y) ?? fail(reader, 'a property name wanted behind \\p')
  const text = name[1] ?? (name[2] as string)
  const posix = posixClasses.get(text)
  if (posix !== undefined) return posix
  if (text === 'javaLetterOrDigit') return charSet(...pairs(unicodeProperty('L') ?? []), ...pairs(unicodeProperty('Nd') ?? []))
  const java = Object.hasOwn(javaClasses, text) ? javaClasses[text] : undefined
  for (const candidate of java === undefined ? javaScriptNames(text) : [java]) {
    const set = unicodeProperty(candidate)
    if (set !== undefined) return set
  }
  throw reader.error(`\\p{${text}} has no equivalent here`)
}

/** JavaScript's names for what Java calls `Lu`, `IsLatin`, `IsAlphabetic`, `script=Greek`, `general_category=Lu`. */
function javaScriptNames(name: string): string[] {
  const [key, value] = name.split('=', 2)
  if (value !== undefined) return /^(script|sc)$/i.test(key ?? '') ? [`Script=${capitalized(value)}`] : [capitalized(value)]
  const bare = name.replace(/^Is/, '')
  return [bare, capitalized(bare), `Script=${capitalized(bare)}`]
}

function capitalized(name: string): string {
  return name.length <= 2 ? name : name.replace(/[A-Za-z]+/g, word => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`)
}

function pairs(set: CharSet): [number, number][] {
  const ranges: [number, number][] = []
  for (let index = 0; index < set.length; index += 2) ranges.push([set[index] as number, set[index + 1] as number])
  return ranges
}
