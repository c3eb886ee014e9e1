/** Percent-encoding in the canonical form of paths and queries: RFC 3986 §6.2.2 as Nutch's BasicURLNormalizer applies it. */

/** Already canonical: characters that stay as they are, and nothing that could have to change. */
const cleanText = /^[!$&'()*+,\-./0-9:;=?@A-Z\\_a-z~]*$/
const cleanOrEscape = /%[0-9A-Fa-f]{2}|[^!$&'()*+,\-./0-9:;=?@A-Z\\_a-z~]+?/gu

const utf8 = new TextEncoder()
const escapeOfByte = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
/** For each triplet in upper case: the unreserved character it stands for. */
const unreserved = new Map(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~', char => [escapeOfByte[char.charCodeAt(0)] as string, char]),
)

/**
 * Folds the hex digits of escapes to upper case, takes escapes of unreserved characters away, escapes a `%` that starts no escape, and
 * everything that may not stand in a URL, as UTF-8. Reserved characters stay as they are, escaped or not. Idempotent.
 */
export function canonicalEscapes(text: string): string {
  return cleanText.test(text) ? text : text.replace(cleanOrEscape, canonicalPiece)
}

function canonicalPiece(piece: string): string {
  if (piece.length === 3 && piece.charCodeAt(0) === 0x25) {
    const upper = piece.toUpperCase()
    return unreserved.get(upper) ?? upper
  }
  let escaped = ''
  for (const byte of utf8.encode(piece)) escaped += escapeOfByte[byte]
  return escaped
}
