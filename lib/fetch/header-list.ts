import type { Dispatcher } from 'undici'

/** Header fields as name and value, in the order and spelling of the wire; names may repeat. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** The value of the first field called `name` (lower case), or undefined. */
export function headerValue(headers: HeaderList, name: string): string | undefined {
  for (const [candidate, value] of headers) if (candidate.length === name.length && candidate.toLowerCase() === name) return value
  return undefined
}

/** The values of all fields called `name` (lower case). */
export function headerValues(headers: HeaderList, name: string): string[] {
  return headers.filter(([candidate]) => candidate.length === name.length && candidate.toLowerCase() === name).map(([, value]) => value)
}

/**
 * As `headerValue`; a field whose name differs by one inserted, missing, wrong or swapped letter is taken if none has the right one.
 * Nutch (SpellCheckedMetadata) does so, for servers that send `Loction`.
 */
export function headerValueLike(headers: HeaderList, name: string): string | undefined {
  return headerValue(headers, name) ?? headers.find(([candidate]) => isNearly(candidate.toLowerCase(), name))?.[1]
}

function isNearly(candidate: string, name: string): boolean {
  if (Math.abs(candidate.length - name.length) > 1) return false
  let start = 0
  while (start < name.length && candidate[start] === name[start]) start += 1
  let end = 0
  const shared = Math.min(name.length, candidate.length) - start
  while (end < shared && candidate.at(-1 - end) === name.at(-1 - end)) end += 1
  const wrong = candidate.slice(start, candidate.length - end)
  const right = name.slice(start, name.length - end)
  if (wrong.length <= 1 && right.length <= 1) return true
  return wrong.length === 2 && right.length === 2 && wrong[0] === right[1] && wrong[1] === right[0]
}

/** The header fields that undici read, as it hands them over. */
export function headerListOf(raw: Dispatcher.DispatchController['rawHeaders']): HeaderList {
  if (raw === null || raw === undefined) return []
  if (!Array.isArray(raw)) return Object.entries(raw).flatMap(([name, value]) => [value ?? []].flat().map(one => [name, one] as const))
  const texts = raw.map(part => (typeof part === 'string' ? part : part.toString('latin1')))
  return texts.flatMap((name, index) => (index % 2 === 0 ? [[name, texts[index + 1] ?? ''] as const] : []))
}
