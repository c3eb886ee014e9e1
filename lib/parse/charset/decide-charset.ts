import { isAscii, isUtf8 } from 'node:buffer'
import type { CharsetSource } from '../page.js'
import { charsetOfContentType, charsetOfLabel } from './charset-label.js'
import { prescan } from './prescan.js'

export interface CharsetDecision {
  /** The Encoding Standard's name, lower case. */
  readonly charset: string
  readonly source: CharsetSource
  /** Length of the byte-order mark. */
  readonly markBytes: number
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
  if (fromHeader !== undefined) return { charset: fromHeader, source: 'header', markBytes: 0 }
  const declared = prescan(bytes)
  if (declared !== undefined) return { ...declared, markBytes: 0 }
  const fallback = charsetOfLabel(options.defaultCharset) ?? 'windows-1252'
  if (options.minCharsetConfidence >= 0 && isUtf8(bytes) && !isAscii(bytes)) return { charset: 'utf-8', source: 'utf8', markBytes: 0 }
  return { charset: fallback, source: 'default', markBytes: 0 }
}
