import { headerUrlText } from '../url/header-url.js'

/** The target of a Location or Refresh as an absolute URL, or undefined if it is none. Not normalized yet. */
export function redirectTarget(base: string, location: string): string | undefined {
  const text = headerUrlText(location.trim())
  if (text === '') return undefined
  try {
    return new URL(text, base).href
  } catch {
    return undefined
  }
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
