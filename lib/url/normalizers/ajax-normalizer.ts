import { builtIn } from '../../explain/decision.js'
import { simpleNormalizer, type UrlNormalizer } from './url-normalizer.js'

const escapedFragment = '_escaped_fragment_='
/** Characters that the scheme wants escaped in a fragment that becomes a query value. */
const unsafe = /[\0-\x20#%&+\x7f-\u{10ffff}]/gu

/**
 * Nutch's AjaxURLNormalizer, for sites that follow Google's retired AJAX crawling scheme: `#!state` becomes `?_escaped_fragment_=state`, in scope
 * indexer
 * the other way.
 */
export function ajaxNormalizer(scope: string): UrlNormalizer {
  return simpleNormalizer('ajax', builtIn, scope === 'indexer' ? toHashBang : toEscapedFragment)
}

function toEscapedFragment(url: string): string {
  const mark = url.indexOf('#!')
  if (mark < 0 || url.indexOf('#') < mark) return url
  const before = url.slice(0, mark)
  const state = url
    .slice(mark + 2)
    .replace(unsafe, char => (char.length === 1 && char.charCodeAt(0) < 0x80 ? byteEscape(char.charCodeAt(0)) : encodedChar(char)))
  return `${before}${before.includes('?') ? '&' : '?'}${escapedFragment}${state}`
}

function toHashBang(url: string): string {
  const at = url.indexOf(escapedFragment)
  const before = url.charAt(at - 1)
  if (at < 1 || (before !== '?' && before !== '&') || url.lastIndexOf('#', at) >= 0) return url
  return `${url.slice(0, at - 1)}#!${decoded(url.slice(at + escapedFragment.length))}`
}

const byteEscape = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

function encodedChar(char: string): string {
  return Array.from(new TextEncoder().encode(char), byteEscape).join('')
}

/** Percent-decodes; what is no UTF-8, and tabs and line ends, stay escaped: they may not stand in a URL. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, run => {
    try {
      return decodeURIComponent(run).replace(/\p{Cc}/gu, encodedChar)
    } catch {
      return run
    }
  })
}
