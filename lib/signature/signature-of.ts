import { hash } from 'node:crypto'
import type { SignatureConfig } from '../config/signature-options.js'
import { simHash } from './sim-hash.js'
import { textProfile } from './text-profile.js'

export type SignatureClass = SignatureConfig['signatureClass']

/** What a signature is taken of. */
export interface SignedPage {
  readonly url: string
  /** The payload. */
  readonly bytes: Uint8Array
  /** The text that was read from it. */
  readonly text: string
}

/** What a page is compared by: equal signatures mean the same page. Nutch's MD5Signature, TextMD5Signature and TextProfileSignature to the
 *  byte; a page without text falls back to the MD5 of its bytes, one without bytes to that of its URL. */
export function signatureOf(page: SignedPage, options: SignatureConfig): Uint8Array {
  switch (options.signatureClass) {
    case 'MD5Signature':
      return contentMd5(page)
    case 'TextMD5Signature':
      return page.text === '' ? contentMd5(page) : md5(page.text)
    case 'TextProfileSignature': {
      const profile = textProfile(page.text, options)
      return profile === '' ? (page.text === '' ? contentMd5(page) : md5('')) : md5(profile)
    }
    case 'SimHash':
      return page.text === '' ? contentMd5(page) : simHash(page.text)
    default:
      return options.signatureClass satisfies never
  }
}

function contentMd5({ url, bytes }: SignedPage): Uint8Array {
  return md5(bytes.length === 0 ? url : bytes)
}

function md5(content: Uint8Array | string): Uint8Array {
  return hash('md5', content, 'buffer')
}
