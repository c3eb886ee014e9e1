import type { SAXParser } from 'sax'

/** Characters written at a time, after which sax's buffers are looked at. */
const sliceChars = 4096
/** Declarations are no longer than this. */
const maxDeclarationChars = 1024

/** Undocumented, but the buffer that sax's own limit (MAX_BUFFER_LENGTH) watches. */
interface DeclarationBuffer {
  readonly sgmlDecl: string
}

/**
 * Writes to sax in slices and ends declarations (`<!…`) that run on: sax matches all of a declaration anew at each of its characters, so that
 * one of 64 KiB takes seconds. @param isStopped asked before each slice
 */
export function writeSax(parser: SAXParser, chunk: string, isStopped: () => boolean): void {
  const buffers = parser as SAXParser & DeclarationBuffer // see DeclarationBuffer
  for (let start = 0; start < chunk.length && !isStopped(); start += sliceChars) {
    parser.write(chunk.slice(start, start + sliceChars))
    if (buffers.sgmlDecl.length > maxDeclarationChars && !isStopped()) parser.write('>')
  }
}
