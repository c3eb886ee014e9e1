import { domainToASCII, domainToUnicode } from 'node:url'

/** Which version of IDNA converts: 2003 maps ß to ss and drops joiners, 2008 keeps them (UTS #46 §6, "deviations"). */
export type IdnaVersion = 'IDNA2003' | 'IDNA2008'

const ascii = /^[\0-\x7f]*$/
const deviations = /[\u00df\u1e9e\u03c2\u200c\u200d]/g
/** Symbols that RFC 3454 table A.1 calls unassigned, so that IDNA 2003 does not know them. */
const unknownSymbols = new RegExp(
  '[\\u23cf-\\u23ff\\u2427-\\u243f\\u244b-\\u245f\\u24ff\\u2614\\u2615\\u2618\\u267e\\u267f\\u268a-\\u2700\\u2705\\u270a' +
    '\\u270b\\u2728\\u274c\\u274e\\u2753-\\u2755\\u2757\\u275f\\u2760\\u2795-\\u2797\\u27b0\\u27bf-\\u27cf\\u27ec-\\u27ef' +
    '\\u2b00-\\u2e7f\\u{1f000}-\\u{1faff}]',
  'u',
)

/** A host name in ASCII, or undefined if the version does not know it. */
export function hostToAscii(host: string, version: IdnaVersion): string | undefined {
  if (version === 'IDNA2003' && unknownSymbols.test(host)) return undefined
  const mapped = version === 'IDNA2003' ? host.replace(deviations, mapDeviation) : host
  const converted = domainToASCII(mapped)
  return converted.replaceAll('.', '') === '' ? undefined : converted
}

/**
 * A host name with its `xn--` labels decoded, or undefined if one of them does not decode. Under IDNA 2003 a label that 2003 would not have made
 * stays.
 */
export function hostToUnicode(host: string, version: IdnaVersion): string | undefined {
  const labels = host.toLowerCase().split('.')
  const converted = labels.map(label => (label.startsWith('xn--') ? labelToUnicode(label, version) : label))
  return converted.every(label => label !== undefined) ? converted.join('.') : undefined
}

function labelToUnicode(label: string, version: IdnaVersion): string | undefined {
  if (!ascii.test(label)) return undefined
  const unicode = domainToUnicode(label)
  if (unicode === '' || unicode === label || domainToASCII(unicode) !== label) return undefined // newer parsers leave as it is what does not decode
  return version === 'IDNA2008' || hostToAscii(unicode, version) === label ? unicode : label
}

function mapDeviation(char: string): string {
  return char === '\u03c2' ? '\u03c3' : char === '\u200c' || char === '\u200d' ? '' : 'ss'
}
