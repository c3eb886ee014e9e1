import type { Config } from '../lib/config/options.js'
import { decideCharset } from '../lib/parse/charset/decide-charset.js'
import { decodeAll } from '../lib/parse/charset/decode-bytes.js'
import { sniffType } from '../lib/parse/type/sniff-type.js'
import { signatureOf } from '../lib/signature/signature-of.js'
import { checkPage } from './check-page.js'

/** The signature of a file: of its text as it stands if it is plain text, of what a parse gives if it is markup. */
export function signatureOfFile(bytes: Uint8Array, config: Config, contentType?: string): Uint8Array {
  return signatureOf(
    { url: '', bytes, text: config.signature.signatureClass === 'MD5Signature' ? '' : textOf(bytes, config, contentType) },
    config.signature,
  )
}

function textOf(bytes: Uint8Array, config: Config, contentType: string | undefined): string {
  const page = { url: 'http://localhost/', bytes, ...(contentType === undefined ? {} : { contentType }) }
  if (sniffType(page) !== 'text/plain') return checkPage(page, config).text
  const { charset, markBytes } = decideCharset(bytes, contentType, { ...config.parse, defaultCharset: 'utf-8' })
  return decodeAll(bytes.subarray(markBytes), charset)
}
