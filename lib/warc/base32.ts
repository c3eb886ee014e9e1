import { createHash } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 without padding (RFC 4648 §6); 20 bytes give the 32 letters that WARC digests are written in. */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31]
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}

/** SHA-1 in base32 of the parts one after the other. */
export function sha1Base32(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return toBase32(hash.digest())
}
