import { type CharSet, charsOf, complement, foldAscii, intersection, union } from './char-set.js'
import { parseSetEscape } from './parse-escape.js'
import type { PatternReader } from './regex-error.js'

/** Reads a class behind its `[`, with Java's nesting, `&&` and `\Q…\E`. */
export function parseCharClass(reader: PatternReader, ignoresCase: boolean): CharSet {
  const isNegated = reader.take('^')
  let result: CharSet | undefined
  let current: CharSet = []
  let isFirst = true
  for (; ; isFirst = false) {
    if (reader.isAtEnd) throw reader.error('[ is not closed')
    if (!isFirst && reader.take(']')) break
    if (reader.take('&&')) {
      result = result === undefined ? current : intersection(result, current)
      current = []
      continue
    }
    current = union(current, parseItem(reader, ignoresCase))
  }
  const set = result === undefined ? current : current.length === 0 ? result : intersection(result, current)
  return isNegated ? complement(set) : set
}

function parseItem(reader: PatternReader, ignoresCase: boolean): CharSet {
  if (reader.take('[')) return parseCharClass(reader, ignoresCase)
  if (reader.take('\\Q')) return folded(charsOf(readQuoted(reader)), ignoresCase)
  const from = parseMember(reader)
  const isRange = isSingle(from) && reader.peek() === '-' && !/[\]&[]/.test(reader.text.charAt(reader.position + 1) || ']')
  if (!isRange) return folded(from, ignoresCase)
  reader.next()
  const to = parseMember(reader)
  const [low, high] = [from[0] as number, to[0] as number]
  if (!isSingle(to) || high < low) throw reader.error('range in [] has no order')
  return folded([low, high], ignoresCase)
}

function parseMember(reader: PatternReader): CharSet {
  const char = reader.next()
  return char === '\\' ? parseSetEscape(reader) : charsOf(char)
}

const isSingle = (set: CharSet): boolean => set.length === 2 && set[0] === set[1]

function folded(set: CharSet, ignoresCase: boolean): CharSet {
  return ignoresCase ? foldAscii(set) : set
}

/** Reads behind `\Q` up to `\E` or the end. */
export function readQuoted(reader: PatternReader): string {
  const end = reader.text.indexOf('\\E', reader.position)
  const quoted = reader.text.slice(reader.position, end < 0 ? undefined : end)
  reader.position += quoted.length + (end < 0 ? 0 : 2)
  return quoted
}
