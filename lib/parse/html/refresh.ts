export interface RefreshDirective {
  readonly delayMs: number
  /** As written; empty if the refresh names none. */
  readonly url: string
}

/** Reads `5; url=/next` as browsers do (HTML Standard, shared declarative refresh steps); undefined if it is none. */
export function parseRefresh(content: string): RefreshDirective | undefined {
  const time = /^[\t\n\f\r ]*(?:(\d+)[\d.]*|\.[\d.]*)/.exec(content)
  if (time === null) return undefined
  const delayMs = Math.min(Number(time[1] ?? 0), 86_400 * 365) * 1000
  let rest = content.slice(time[0].length)
  if (rest === '') return { delayMs, url: '' }
  if (!/^[;,\t\n\f\r ]/.test(rest)) return undefined
  rest = trimStart(rest)
  if (rest.startsWith(';') || rest.startsWith(',')) rest = trimStart(rest.slice(1))
  const named = /^url[\t\n\f\r ]*=/i.exec(rest)
  if (named !== null) rest = trimStart(rest.slice(named[0].length))
  return { delayMs, url: unquote(rest).trim() }
}

function trimStart(text: string): string {
  return text.replace(/^[\t\n\f\r ]+/, '')
}

function unquote(text: string): string {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return text
  const end = text.indexOf(quote, 1)
  return end < 0 ? text.slice(1) : text.slice(1, end)
}
