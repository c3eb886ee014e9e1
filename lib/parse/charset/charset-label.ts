import { encodingLibrary, isUnicode } from './create-decoder.js'

/** The Encoding Standard's name (lower case) of a charset label, or undefined if it has none. Labels of `replacement`, which nobody decodes, count as none. */
export function charsetOfLabel(label: string): string | undefined {
  const name = label.trim().toLowerCase()
  if (name === '' || name.length > 40) return undefined
  if (isUnicode(name)) return name
  const charset = encodingLibrary().normalizeEncoding(name)
  return charset === null || charset === 'replacement' ? undefined : charset
}

/** The charset parameter of a Content-Type, as a charset; undefined if there is none that can be decoded. */
export function charsetOfContentType(contentType: string | undefined): string | undefined {
  // Of several values that were joined by commas the one with a charset counts; no label holds a comma.
  const label = charsetParameter(contentType ?? '')?.split(',', 1)[0]
  return label === undefined ? undefined : charsetOfLabel(label)
}

/** Extracts a label behind `charset=` (HTML Standard, "extracting a character encoding from a meta element"). Case does not matter. */
export function charsetParameter(text: string): string | undefined {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf('charset'); at >= 0; at = lower.indexOf('charset', at + 7)) {
    const assigned = /^[\t\n\f\r ]*=[\t\n\f\r ]*/.exec(lower.slice(at + 7, at + 7 + 256))
    if (assigned === null) continue
    const value = lower.slice(at + 7 + assigned[0].length)
    const quote = value[0]
    if (quote === '"' || quote === "'") {
      const end = value.indexOf(quote, 1)
      return end < 0 ? undefined : value.slice(1, end)
    }
    return /^[^\t\n\f\r ;]*/.exec(value)?.[0]
  }
  return undefined
}
