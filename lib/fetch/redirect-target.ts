/** The target of a Location or Refresh as an absolute URL, or undefined if it is none. Not normalized yet. */
export function redirectTarget(base: string, location: string): string | undefined {
  const text = decodeHeaderUrl(location.trim())
  if (text === '') return undefined
  try {
    return new URL(text, base).href
  } catch {
    return undefined
  }
}

/** A header came as one character a byte: UTF-8 is read as such, other bytes over 7F are escaped as they are. */
function decodeHeaderUrl(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text
  const decoded = Buffer.from(text, 'latin1').toString()
  if (!decoded.includes('\ufffd')) return decoded
  return text.replace(/[\x80-\xff]/g, octet => `%${octet.charCodeAt(0).toString(16).toUpperCase()}`)
}

export interface Refresh {
  readonly delayS: number
  /** As written; empty means the page itself. */
  readonly url: string
}

/** Reads the value of a Refresh header as the HTML standard reads that of a meta element: `5; url=/there`. Undefined if it is none. */
export function parseRefresh(value: string): Refresh | undefined {
  const found = /^\s*(\d{1,9})(?:\.[\d.]*)?\s*(?:[;,\s]\s*([\s\S]*))?$/.exec(value)
  if (found === null) return undefined
  const rest = (found[2] ?? '').replace(/^url\s*=\s*/i, '')
  const quote = rest[0]
  const isQuoted = quote === '"' || quote === "'"
  const end = isQuoted ? rest.indexOf(quote, 1) : -1
  return { delayS: Number(found[1]), url: (isQuoted ? rest.slice(1, end < 0 ? undefined : end) : rest).trim() }
}
