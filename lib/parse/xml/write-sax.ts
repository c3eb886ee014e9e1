import sax, { type SAXParser } from 'sax'

/** Characters written at a time, after which sax's buffers are looked at. */
const sliceChars = 4096
/** Declarations are no longer than this. */
const maxDeclarationChars = 1024

/** Undocumented: the declaration that sax's own limit (MAX_BUFFER_LENGTH) watches, the reference it is reading, and what it is in. */
interface SaxInside {
  readonly sgmlDecl: string
  entity: string
  readonly state: number
}

/** An ampersand and the name behind it where no semicolon ends it; at the end of a slice it may go on in the next. */
const openReference = /&[#\w:.\u0080-\uffff-]*(?![#\w:.\u0080-\uffff;-])/g
/** What goes on with a reference from the slice before. */
const referenceRest = /^[#\w:.\u0080-\uffff-]*/

const states = (sax as typeof sax & { readonly STATE: Readonly<Record<string, number>> }).STATE // exported, but missing in the types
const referenceStates = new Set([states.TEXT_ENTITY, states.ATTRIB_VALUE_ENTITY_Q, states.ATTRIB_VALUE_ENTITY_U])

/**
 * Writes to sax in slices. A reference that no semicolon ends is text, and what stands behind it is not (`AT&T</title>`, `href="?a&b"`), where
 * sax would take a `<` or a quote with it. Ends declarations (`<!…`) that run on: sax matches all of a declaration anew at each of its characters, so that
 * one of 64 KiB takes seconds. @param isStopped asked before each slice
 */
export function writeSax(parser: SAXParser, chunk: string, isStopped: () => boolean): void {
  const inside = parser as SAXParser & SaxInside // see SaxInside
  for (let start = 0; start < chunk.length && !isStopped(); start += sliceChars) {
    writeSlice(inside, chunk.slice(start, start + sliceChars))
    if (inside.sgmlDecl.length > maxDeclarationChars && !isStopped()) parser.write('>')
  }
}

function writeSlice(parser: SAXParser & SaxInside, slice: string): void {
  let start = 0
  if (referenceStates.has(parser.state)) {
    start = referenceRest.exec(slice)?.[0].length ?? 0
    writeReference(parser, slice.slice(0, start), slice[start])
  }
  for (const { 0: reference, index } of slice.matchAll(openReference)) {
    if (index < start) continue
    const end = index + reference.length
    writeReference(parser, slice.slice(start, end), slice[end])
    start = end
  }
  if (start < slice.length) parser.write(slice.slice(start))
}

/** Writes up to the end of a name; where sax takes that for a reference and `next` does not end it, turns it into text. */
function writeReference(parser: SAXParser & SaxInside, text: string, next: string | undefined): void {
  if (text !== '') parser.write(text)
  if (next === undefined || next === ';' || !referenceStates.has(parser.state)) return
  const name = parser.entity
  parser.entity = 'amp'
  parser.write(`;${name}`)
}
