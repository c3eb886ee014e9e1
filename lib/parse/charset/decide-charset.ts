import { isAscii, isUtf8 } from 'node:buffer'
import type { CharsetSource } from '../page.js'
import { charsetOfContentType, charsetOfLabel } from './charset-label.js'
import { decodeAll } from './decode-bytes.js'
import { detectCharset, utf16Of } from './detect-charset.js'
import { lateDeclaration, prescan } from './prescan.js'

/** Starts the escape sequences of ISO-2022-JP, whose bytes are all ASCII. */
const escapeByte = 0x1b
const markupByte = 0x3c

export interface CharsetDecision {
  /** The Encoding Standard's name, lower case. */
  readonly charset: string
  readonly source: CharsetSource
  /** Length of the byte-order mark. */
  readonly markBytes: number
  /** The charset that was declared and not taken, because the bytes cannot be it. */
  readonly declared?: string
}

export interface CharsetOptions {
  readonly defaultCharset: string
  /** 0…100; -1 turns the detector off. */
  readonly minCharsetConfidence: number
  /** The document is XML, which has a default of its own and a declaration that many put behind an empty line. */
  readonly isXml?: boolean
}

/** The charset of a byte-order mark (Encoding Standard, "BOM sniff"), or undefined. */
export function byteOrderMark(bytes: Uint8Array): { readonly charset: string; readonly markBytes: number } | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { charset: 'utf-8', markBytes: 3 }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { charset: 'utf-16be', markBytes: 2 }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { charset: 'utf-16le', markBytes: 2 }
  return undefined
}

/**
 * Decides as browsers do: byte-order mark, Content-Type, declaration in the document; then what the bytes look like, then the default. A Unicode
 * charset that the bytes cannot be is passed over, and so is any other for bytes that are UTF-16.
 */
export function decideCharset(bytes: Uint8Array, contentType: string | undefined, options: CharsetOptions): CharsetDecision {
  const mark = byteOrderMark(bytes)
  if (mark !== undefined) return { ...mark, source: 'bom' }
  const fromHeader = charsetOfContentType(contentType)
  const header = fromHeader === undefined ? undefined : ({ charset: fromHeader, source: 'header' } as const)
  const isAsked = options.minCharsetConfidence >= 0
  if (header !== undefined && (!isAsked || isCredible(header.charset, bytes))) return { ...header, markBytes: 0 }
  const own = prescan(bytes, options) ?? lateDeclaration(bytes)
  const declared = header === undefined ? {} : { declared: header.charset }
  if (own !== undefined && own.charset !== header?.charset && (!isAsked || isCredible(own.charset, bytes)))
    return { ...own, ...declared, markBytes: 0 }
  const refuted = header ?? own
  if (refuted?.charset === 'utf-8' && utf16Of(bytes) === undefined && isSlip(bytes)) return { ...refuted, markBytes: 0 }
  const guess = { ...guessCharset(bytes, options), markBytes: 0 }
  return refuted === undefined ? guess : { ...guess, declared: refuted.charset }
}

/** Whether the bytes can be of the charset that is declared, as far as Unicode's charsets let that be told. */
function isCredible(charset: string, bytes: Uint8Array): boolean {
  if (utf16Of(bytes) !== undefined) return charset === 'utf-16le' || charset === 'utf-16be'
  // Markup holds ASCII, so UTF-16 holds zeros.
  if (charset === 'utf-16le' || charset === 'utf-16be') return bytes.includes(0) || !(bytes.includes(markupByte) || isUtf8(bytes))
  return charset !== 'utf-8' || isUtf8(bytes) || holdsSomeUtf8(bytes)
}

/** Whether one byte at most is not of the UTF-8 that is declared. */
function isSlip(bytes: Uint8Array): boolean {
  return countMalformed(decodeAll(bytes, 'utf-8')) < 2
}

function countMalformed(text: string): number {
  return text.match(/\ufffd/g)?.length ?? 0
}

/** Whether bytes that are not all UTF-8 are so at least where they are not ASCII: a cut or a slip here and there makes no other charset. */
function holdsSomeUtf8(bytes: Uint8Array): boolean {
  const text = decodeAll(bytes, 'utf-8')
  return (text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0) >= countMalformed(text)
}

/** What bytes without a declaration look like; the default where that is not sure. */
function guessCharset(bytes: Uint8Array, options: CharsetOptions): Omit<CharsetDecision, 'markBytes'> {
  // XML is UTF-8 unless it says otherwise (XML 1.0, 4.3.3), or is plainly none.
  const isUnlabelledXml = options.isXml === true && (isUtf8(bytes) || holdsSomeUtf8(bytes))
  const fallback = { charset: isUnlabelledXml ? 'utf-8' : (charsetOfLabel(options.defaultCharset) ?? 'windows-1252'), source: 'default' } as const
  if (options.minCharsetConfidence < 0) return fallback
  if (isAscii(bytes) && !bytes.includes(escapeByte) && !bytes.includes(0)) return fallback
  if (isUtf8(bytes) && !bytes.includes(escapeByte) && !bytes.includes(0)) return { charset: 'utf-8', source: 'utf8' }
  const detected = detectCharset(bytes)
  if (detected === undefined || detected.confidence < options.minCharsetConfidence) return fallback
  return { charset: detected.charset, source: 'detector' }
}
