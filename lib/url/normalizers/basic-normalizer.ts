import { builtIn } from '../../explain/decision.js'
import type { HostOptions } from '../host-name.js'
import { canonicalUrl } from '../normalize-url.js'
import { simpleNormalizer, type UrlNormalizer } from './url-normalizer.js'

/** A scheme with nothing but slashes behind it. */
const bareScheme = /^\s*(https?|ftp):\/*\s*$/i

/**
 * Nutch's BasicURLNormalizer: the canonical form of RFC 3986 §6.2.2, see `normalizeUrl`.
 * @param keepsBareScheme gives `http:/` for `http:`, as Nutch's plugin does by itself; else it is no URL, as it has no host
 */
export function basicNormalizer(options: HostOptions, keepsBareScheme = false): UrlNormalizer {
  const apply = (url: string): string | undefined => {
    const canonical = canonicalUrl(url, options)
    if (typeof canonical === 'string') return canonical
    const bare = keepsBareScheme ? bareScheme.exec(url) : null
    return bare === null ? undefined : `${(bare[1] as string).toLowerCase()}:/`
  }
  const reasonOf = (url: string): string => {
    const canonical = canonicalUrl(url, options)
    return typeof canonical === 'string' ? '' : canonical.fault
  }
  return simpleNormalizer('basic', builtIn, apply, reasonOf)
}
