import { createHash, getHashes } from 'node:crypto'
import { toBase32 } from './base32.js'

/** Whether a WARC digest (`sha1:…`) is that of the parts; undefined if its algorithm is not known. Base32, hex, base64 and base64url are read. */
export function isDigestOf(labelled: string, ...parts: readonly Uint8Array[]): boolean | undefined {
  const colon = labelled.indexOf(':')
  const algorithm = labelled.slice(0, colon).toLowerCase().replace('-', '')
  if (colon < 0 || !isKnownAlgorithm(algorithm)) return undefined
  const hash = createHash(algorithm)
  for (const part of parts) hash.update(part)
  return isSpelling(labelled.slice(colon + 1), hash.digest())
}

export function isKnownAlgorithm(algorithm: string): boolean {
  return /^(?:md5|sha(?:1|224|256|384|512))$/.test(algorithm) && getHashes().includes(algorithm)
}

/** Whether `text` spells the digest in one of the ways in use. */
export function isSpelling(text: string, digest: Buffer): boolean {
  const bare = text.replace(/=+$/, '')
  if (bare.toUpperCase() === toBase32(digest) || bare.toLowerCase() === digest.toString('hex')) return true
  return bare.replaceAll('+', '-').replaceAll('/', '_') === digest.toString('base64url')
}
