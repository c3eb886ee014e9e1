import { builtIn } from '../../explain/decision.js'
import { simpleNormalizer, type UrlNormalizer } from './url-normalizer.js'

const withQuery = /^([^?#]*)\?([^#]*)(.*)$/s

/** Nutch's QuerystringURLNormalizer: sorts the parts of the query by code units. Equal ones keep their order. */
export const queryStringNormalizer: UrlNormalizer = simpleNormalizer('querystring', builtIn, url => {
  const cut = withQuery.exec(url)
  if (cut === null) return url
  const [, before = '', query = '', after = ''] = cut
  return query.includes('&') ? `${before}?${query.split('&').sort().join('&')}${after}` : url
})
