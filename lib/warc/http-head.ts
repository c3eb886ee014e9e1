/** A header line as it stands: name and value apart, bytes as latin1, a folded line joined to the one before. */
export type HttpField = readonly [name: string, value: string]

export interface HttpHead {
  /** Status line or request line without its end. */
  readonly startLine: string
  readonly fields: readonly HttpField[]
}

/** Where the head of an HTTP message ends: the index behind its empty line, or the length if there is none. Bare LF counts as a line end. */
export function headEnd(block: Uint8Array): number {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3
  }
  return bytes.length
}

/** Splits the head of a request or response. Lines without a colon are left out. */
export function parseHttpHead(head: Uint8Array): HttpHead {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  const [startLine = '', ...lines] = text.replace(/\r?\n(?:\r?\n)?$/, '').split(/\r?\n/)
  const fields: [string, string][] = []
  for (const line of lines) {
    const previous = fields.at(-1)
    if (/^[ \t]/.test(line) && previous !== undefined) {
      previous[1] = `${previous[1]} ${line.trim()}`.trim()
      continue
    }
    const colon = line.indexOf(':')
    if (colon > 0) fields.push([line.slice(0, colon).trimEnd(), line.slice(colon + 1).trim()])
  }
  return { startLine, fields }
}

/** First value of a field, names compared without case. */
export function fieldValue(fields: readonly HttpField[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  return fields.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1]
}

/** All values of a field joined by `, `; undefined if it is not there. */
export function joinedValues(fields: readonly HttpField[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  const values = fields.filter(([candidate]) => candidate.toLowerCase() === wanted).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/**
 * The Content-Type that counts where a message has several, in fields or joined by commas: the last that is one, with the charset that was given
 * for the same type before if it has none of its own (Fetch Standard, "extract a MIME type"). Undefined if there is none.
 */
export function contentTypeOf(fields: readonly HttpField[]): string | undefined {
  const joined = joinedValues(fields, 'content-type')
  if (joined === undefined || !joined.includes(',')) return joined
  const values = joined.split(',').filter(text => mediaTypeOf(text) !== '')
  if (values.length < 2) return joined // the comma stands in a parameter
  return values.reduce((before, text) => {
    const keepsCharset = mediaTypeOf(before) === mediaTypeOf(text) && !/;\s*charset\s*=/i.test(text)
    return keepsCharset ? before : text
  })
}

/** The status of a response's start line, or undefined if it is none. */
export function statusOf(startLine: string): number | undefined {
  const match = /^(?:HTTP|ICY)(?:\/[\w.]{1,8})?[ \t]+(\d{3})(?!\d)/i.exec(startLine)
  return match === null ? undefined : Number(match[1])
}

/** The media type of a Content-Type value: before the first `;`, lower case; empty if it is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type) ? type : ''
}
