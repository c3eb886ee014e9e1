/**
 * Charsets of the Encoding Standard that the platform does not decode, or not rightly: Node has no iso-8859-16, and some releases of Node
 * decode windows-1252 as latin-1, which loses the euro sign, dashes and curly quotes. Upper halves as the Standard's indexes give them.
 */
const windows1252From80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const iso8859p16FromA0 = '\u00a0ĄąŁ€„Š§š©Ș«Ź\u00adźŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ'

const byCharset: Readonly<Record<string, { readonly start: number; readonly characters: string; readonly pattern: RegExp }>> = {
  'windows-1252': { start: 0x80, characters: windows1252From80, pattern: /[\u0080-\u009f]/g },
  'iso-8859-16': { start: 0xa0, characters: iso8859p16FromA0, pattern: /[\u00a0-\u00ff]/g },
}

/** Whether `decodeSingleByte` decodes this charset. */
export function hasOwnTable(charset: string): boolean {
  return Object.hasOwn(byCharset, charset)
}

/** Decodes bytes of windows-1252 or iso-8859-16. @throws {RangeError} for another charset */
export function decodeSingleByte(bytes: Uint8Array, charset: string): string {
  const table = byCharset[charset]
  if (table === undefined) throw new RangeError(`no table for ${charset}`)
  const { start, characters, pattern } = table
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return latin1.replace(pattern, character => characters[character.charCodeAt(0) - start] as string)
}
