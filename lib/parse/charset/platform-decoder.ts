import { UnifiedHangulDecoder } from './unified-hangul.js'

/** What of TextDecoder is used. */
export interface CharsetDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string
}

/** A decoder by the Encoding Standard, where the platform's differs: gbk decodes as gb18030 does, euc-kr is Unified Hangul Code. */
export function createDecoder(charset: string, options: { readonly ignoreBOM?: boolean } = {}): CharsetDecoder {
  if (charset === 'euc-kr') return new UnifiedHangulDecoder()
  return new TextDecoder(charset === 'gbk' ? 'gb18030' : charset, options)
}
