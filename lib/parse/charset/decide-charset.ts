import { isAscii, isUtf8 } from 'node:buffer'
import type { CharsetSource } from '../page.js'
import { charsetOfContentType, charsetOfLabel } from './charset-label.js'
import { decodeAll } from './decode-bytes.js'
import { detectCharset } from './detect-charset.js'
import { lateDeclaration, prescan } from './prescan.js'

/** Starts the escape sequences of ISO-2022-JP, whose bytes are all ASCII. */
const escapeByte = 0x1b

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
}

/** The charset of a byte-order mark (Encoding Standard, "BOM sniff"), or undefined. */
export function byteOrderMark(bytes: Uint8Array): { readonly charset: string; readonly markBytes: number } | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { charset: 'utf-8', markBytes: 3 }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { charset: 'utf-16be', markBytes: 2 }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { charset: 'utf-16le', markBytes: 2 }
  return undefined
}

/** Decides as browsers do: byte-order mark, Content-Type, declaration in the document; then what the bytes look like, then the default. */
export function decideCharset(bytes: Uint8Array, contentType: string | undefined, options: CharsetOptions): CharsetDecision {
  const mark = byteOrderMark(bytes)
  if (mark !== undefined) return { ...mark, source: 'bom' }
  const fromHeader = charsetOfContentType(contentType)
  const declared = fromHeader === undefined ? (prescan(bytes) ?? lateDeclaration(bytes)) : ({ charset: fromHeader, source: 'header' } as const)
  if (declared === undefined) return { ...guessCharset(bytes, options), markBytes: 0 }
  if (declared.charset !== 'utf-8' || isUtf8(bytes) || options.minCharsetConfidence < 0 || holdsSomeUtf8(bytes)) return { ...declared, markBytes: 0 }
  return { ...guessCharset(bytes, options), markBytes: 0, declared: 'utf-8' }
}

/** Whether bytes that are not all UTF-8 are so at least where they are not ASCII: a cut or a slip here and there makes no other charset. */
function holdsSomeUtf8(bytes: Uint8Array): boolean {
  const text = decodeAll(bytes, 'utf-8')
  const malformed = text.match(/\ufffd/g)?.length ?? 0
  return malformed < 2 || (text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0) >= malformed
}

/** What bytes without a declaration look like; the default where that is not sure. */
function guessCharset(bytes: Uint8Array, options: CharsetOptions): Omit<CharsetDecision, 'markBytes'> {
  const fallback = { charset: charsetOfLabel(options.defaultCharset) ?? 'windows-1252', source: 'default' } as const
  if (options.minCharsetConfidence < 0) return fallback
  if (isAscii(bytes) && !bytes.includes(escapeByte) && !bytes.includes(0)) return fallback
  if (isUtf8(bytes) && !bytes.includes(escapeByte) && !bytes.includes(0)) return { charset: 'utf-8', source: 'utf8' }
  const detected = detectCharset(bytes)
  if (detected === undefined || detected.confidence < options.minCharsetConfidence) return fallback
  return { charset: detected.charset, source: 'detector' }
}
