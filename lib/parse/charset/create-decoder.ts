import { createRequire } from 'node:module'

/** What of TextDecoder is used. */
export interface CharsetDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string
}

/** A decoder by the Encoding Standard. @param charset a name of it, lower case */
export function createDecoder(charset: string, options: { readonly ignoreBOM?: boolean } = {}): CharsetDecoder {
  const Decoder = isUnicode(charset) ? TextDecoder : encodingLibrary().TextDecoder
  return new Decoder(charset, options)
}

/** Whether the platform's decoder is by the Standard. Of other charsets it has ICU's tables, in which much that pages hold is missing or something else:
 *  three of four Korean syllables, five thousand characters of big5, letters of koi8-u; some releases have windows-1252 as latin-1. */
export function isUnicode(charset: string): boolean {
  return charset === 'utf-8' || charset === 'utf-16le' || charset === 'utf-16be'
}

type EncodingLibrary = typeof import('@exodus/bytes/encoding.js')
let library: EncodingLibrary | undefined

/** The Standard's labels and decoders; loaded when the first page that is not in Unicode needs them. */
export function encodingLibrary(): EncodingLibrary {
  library ??= createRequire(import.meta.url)('@exodus/bytes/encoding.js') as EncodingLibrary // the module's own types
  return library
}
