/** One line of a robots.txt that says something, read. */
export interface RobotsLine {
  /** 1 for the first. */
  readonly number: number
  /** What the line is about; `other` for everything this crawler has no use for. */
  readonly kind: RobotsKey
  /** The directive's name as the file spells it. */
  readonly name: string
  /** Each character stands for one byte of the file. */
  readonly value: string
}

export type RobotsKey = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap' | 'other'

/** Bytes of a robots.txt that count (RFC 9309 §2.5: at least 500 KiB). */
export const robotsLimitBytes = 500 * 1024

/** Longest line read, in bytes: what lies beyond cannot be part of a URL any server takes. */
const maxLineBytes = 16 * 1024

/** Names as sites spell them, the common misspellings included, without `-`, `_` and spaces. */
const keys: ReadonlyMap<string, RobotsKey> = new Map<string, RobotsKey>([
  ...spellings(
    'user-agent',
    'useragent',
    'useragents',
    'useragnet',
    'usergent',
    'usedagent',
    'usesagent',
    'uesragent',
    'useagent',
    'usegagent',
    'seragent',
    'usragent',
    'userargent',
    'useraget',
  ),
  ...spellings('disallow', 'disallow', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw', 'dissalaw', 'disallows', 'desallow', 'desalow'),
  ...spellings('allow', 'allow', 'alow', 'allows'),
  ...spellings('crawl-delay', 'crawldelay', 'crawdelay', 'crawldealy'),
  ...spellings('sitemap', 'sitemap', 'sitemaps'),
])

function spellings(key: RobotsKey, ...names: readonly string[]): [string, RobotsKey][] {
  return names.map(name => [name, key])
}

/** The lines of a robots.txt that hold a directive: LF, CR or CRLF ends, comments cut, byte order marks dropped, at most 500 KiB
 *  looked at: a line that goes on behind them is left out, since half a rule is another rule. */
export function* readRobotsLines(bytes: Uint8Array): Generator<RobotsLine> {
  const text = byteText(bytes)
  const isCut = bytes.length > robotsLimitBytes && !isLineEnd(bytes[robotsLimitBytes])
  let number = 0
  let start = 0
  while (start < text.length) {
    const end = lineEnd(text, start)
    if (isCut && end === text.length) return
    number += 1
    const line = parseRobotsLine(text.slice(start, Math.min(end, start + maxLineBytes)), number)
    if (line !== undefined) yield line
    start = text.charCodeAt(end) === 0x0d && text.charCodeAt(end + 1) === 0x0a ? end + 2 : end + 1
  }
}

/** The file as text of one character a byte, so that bytes that are not UTF-8 keep their value; UTF-16 with a mark becomes UTF-8 first. */
function byteText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, robotsLimitBytes))
  const [first, second, third] = buffer
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    const decoded = new TextDecoder(first === 0xff ? 'utf-16le' : 'utf-16be').decode(buffer)
    return Buffer.from(decoded).toString('latin1')
  }
  let start = 0
  if (first === 0xef) start = second !== 0xbb ? 1 : third !== 0xbf ? 2 : 3 // a mark cut short is dropped too, as Google's parser does
  return buffer.toString('latin1', start)
}

function lineEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (isLineEnd(text.charCodeAt(at))) return at
  }
  return text.length
}

function isLineEnd(code: number | undefined): boolean {
  return code === 0x0a || code === 0x0d
}

/** Byte order marks at the start of a line: each of the files that one was put together of had its own. */
const marks = /^(?:\s*\xef\xbb\xbf)+/

function parseRobotsLine(raw: string, number: number): RobotsLine | undefined {
  const hash = raw.indexOf('#')
  const line = trimBlanks(withoutTags(hash < 0 ? raw : raw.slice(0, hash)).replace(marks, ''))
  if (line === '') return undefined
  const colon = line.indexOf(':')
  if (isSitemapUrl(line)) return { number, kind: 'sitemap', name: '', value: line }
  const split = colon >= 0 ? colon : blankBetweenTwoWords(line)
  if (split < 0) return { number, kind: 'other', name: line.slice(0, 40), value: '' }
  const name = trimBlanks(line.slice(0, split))
  const kind = name.length > 40 ? 'other' : (keys.get(name.toLowerCase().replace(/[-_ \t]/g, '')) ?? 'other')
  return { number, kind, name, value: trimBlanks(line.slice(split + 1)) }
}

/** Some servers send robots.txt as a page, with `<BR>` at the end of each line; no rule can hold `<`. */
function withoutTags(line: string): string {
  return line.includes('<') ? line.replace(/<[^<>]*>/g, '') : line
}

/** A line that is nothing but the URL of a sitemap, whose directive was forgotten. */
function isSitemapUrl(line: string): boolean {
  return /^https?:\/\/[^\s]+\.xml(?:\.gz)?$/i.test(line) && /sitemap/i.test(line)
}

/** Where a line of exactly two words is parted, as Google's parser forgives a missing colon; -1 for other lines. */
function blankBetweenTwoWords(line: string): number {
  const words = line.split(/[ \t]+/, 3)
  return words.length === 2 ? line.search(/[ \t]/) : -1
}

/** Without blanks at its ends, no-break spaces of UTF-8 (C2 A0) among them: rules are copied from pages and word processors. */
function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  for (let width = 1; start < end && width > 0; start += width)
    width = isBlank(text.charCodeAt(start)) ? 1 : text.startsWith(noBreakSpace, start) ? 2 : 0
  for (let width = 1; end > start && width > 0; end -= width)
    width = isBlank(text.charCodeAt(end - 1)) ? 1 : text.startsWith(noBreakSpace, end - 2) ? 2 : 0
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

const noBreakSpace = '\xc2\xa0'

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0
}
