import type { HttpExchange } from '../record/exchange.js'
import { type HeaderList, headerValue, headerValues } from './header-list.js'

/** Status line and header fields of a response, read from the bytes of the wire. */
export interface ResponseHead {
  readonly status: number
  readonly protocol: HttpExchange['protocol']
  readonly headers: HeaderList
  /** The bytes, to the empty line and with it. */
  readonly bytes: Uint8Array
  /** Whether it keeps to RFC 9112 so closely that a strict parser takes it and frames the body as we would. */
  readonly isStrict: boolean
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Where the head ends, behind its empty line (CRLF, bare LF, or CRCRLF as of scripts that write to a text file), or -1. Looked for from `from` on. */
export function findHeadEnd(bytes: Buffer, from = 0): number {
  for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    let next = at + 1
    while (next <= at + 2 && bytes[next] === carriageReturn) next += 1
    if (bytes[next] === lineFeed) return next + 1
  }
  return -1
}

/** `bytes` without line ends before the status line (RFC 9112 §2.2 has them ignored before a request; some servers send them before an answer). */
export function withoutLeadingLines(bytes: Buffer): Buffer {
  let start = 0
  while (bytes[start] === lineFeed || bytes[start] === carriageReturn) start += 1
  return start === 0 ? bytes : bytes.subarray(start)
}

const strictStatusLine = /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?$/
const lenientStatusLine = /^\s*HTTP\/?\s*(\d(?:\.\d)?)?\s+(\d{3})(?!\d)/i
const strictHeaderLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/

/** Whether what came so far can still be the start of a status line; no more than a few bytes are needed to tell. */
export function looksLikeStatusLine(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, Math.min(bytes.length, 64)).trimStart().slice(0, 5).toUpperCase()
  return 'HTTP/'.startsWith(start) || start.startsWith('HTTP ')
}

/** Reads a head; undefined if its first line is no status line even in a lenient reading. */
export function parseHead(bytes: Buffer): ResponseHead | undefined {
  const text = bytes.toString('latin1')
  const lines = text.split('\r\n')
  let isStrict = lines.length >= 3 && lines.at(-1) === '' && lines.at(-2) === ''
  if (isStrict) lines.length -= 2
  isStrict = isStrict && lines.every((line, index) => (index === 0 ? strictStatusLine : strictHeaderLine).test(line))
  return isStrict ? strictHead(bytes, lines) : lenientHead(bytes, text)
}

function strictHead(bytes: Buffer, lines: readonly string[]): ResponseHead {
  const [statusLine = '', ...fields] = lines
  const headers = fields.map(readField)
  const status = Number(statusLine.slice(9, 12))
  return {
    status,
    protocol: statusLine.startsWith('HTTP/1.0') ? 'http/1.0' : 'http/1.1',
    headers,
    bytes,
    isStrict: isFramedStrictly(status, headers),
  }
}

function isFramedStrictly(status: number, headers: HeaderList): boolean {
  if (status < 200) return false
  const lengths = headerValues(headers, 'content-length')
  const encodings = headerValues(headers, 'transfer-encoding')
  if (lengths.length > 1 || (lengths[0] !== undefined && !/^\d{1,15}$/.test(lengths[0]))) return false
  if ((status === 204 || status === 304) && Number(lengths[0] ?? 0) > 0) return false // no body follows, whatever the length says
  return encodings.length === 0 || (encodings.length === 1 && lengths.length === 0 && encodings[0]?.toLowerCase() === 'chunked')
}

/** Takes LF for CRLF, joins folded lines, and passes over lines that are no field. */
function lenientHead(bytes: Buffer, text: string): ResponseHead | undefined {
  const lines = text.replace(/^\s+/, '').split(/\r\n|\n|\r/)
  const found = lenientStatusLine.exec(lines[0] ?? '')
  if (found === null) return undefined
  const joined: string[] = []
  for (const line of lines.slice(1)) {
    if (/^[ \t]/.test(line) && joined.length > 0) joined[joined.length - 1] += ` ${line.trim()}`
    else if (line.indexOf(':') > 0) joined.push(line)
  }
  const headers = joined.map(readField).filter(([name]) => name !== '')
  return { status: Number(found[2]), protocol: found[1] === '1.0' ? 'http/1.0' : 'http/1.1', headers, bytes, isStrict: false }
}

function readField(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).trim(), trimBlanks(line, colon + 1)]
}

function trimBlanks(line: string, from: number): string {
  let start = from
  let end = line.length
  while (start < end && (line[start] === ' ' || line[start] === '\t')) start += 1
  while (end > start && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1
  return line.slice(start, end)
}

/** Whether the answer sends somewhere else: then nobody reads its body. */
export function isRedirect({ status, headers }: ResponseHead): boolean {
  return status >= 300 && status < 400 && headerValue(headers, 'location') !== undefined
}
