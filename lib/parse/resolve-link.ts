/** Resolves references against one base as the URL Standard does. */
export interface LinkResolver {
  /** The base without its fragment. */
  readonly base: string
  /** The absolute URL; `scheme` for one that no crawler follows (`javascript:`, `mailto:`, …); undefined if it is none. */
  resolve(reference: string): string | 'scheme' | undefined
}

const followedSchemes = new Set(['http:', 'https:', 'ftp:', 'file:'])

/** Paths, queries and fragments that the URL parser leaves as they are: no character to be encoded, no dot segment, no second slash at the start. */
const plainPath = /^\/(?![/\\])[\w\-~!$&()*+,;=:@/%.?#]*$/
const plainRelative = /^[\w-][\w\-~!$&()*+,;=@/%.?#]*$/
const plainAbsolute = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*(?:\/[\w\-~!$&()*+,;=:@/%.?#]*)?$/
const plainAuthority = /^\/\/(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*(?:\/[\w\-~!$&()*+,;=:@/%.?#]*)?$/
const plainQuery = /^\?[\w\-~!$&()*+,;=:@/%.?#]*$/
/** Schemes that pages are full of; one with an authority behind it may be no URL at all. */
const unfollowed = /^(?:javascript|mailto|tel|data):(?!\/)/i
const plainFragment = /^#[\w\-~!$&()*+,;=:@/%.?]*$/
const slash = 0x2f
const numberSign = 0x23
const questionMark = 0x3f
const dotOrEncodedSegment = /\/(?:\.|%2e)/i

/**
 * A resolver for one page. Plain references, which are nearly all, are joined without the URL parser; a spec holds both ways equal.
 * @throws {TypeError} if `base` is no absolute URL
 */
export function linkResolver(base: string): LinkResolver {
  const parsed = new URL(base)
  parsed.hash = ''
  const isPlain = /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '' && !parsed.href.endsWith('?')
  const { origin, href, protocol } = parsed
  const page = origin + parsed.pathname
  const folder = page.slice(0, page.lastIndexOf('/') + 1)
  const resolve = (raw: string): string | 'scheme' | undefined => {
    const reference = trimControls(raw)
    const quick = isPlain ? joinPlainly(reference) : undefined
    return quick ?? resolveSlowly(reference, parsed)
  }
  const joinPlainly = (reference: string): string | undefined => {
    switch (reference.charCodeAt(0)) {
      case slash:
        if (dotOrEncodedSegment.test(reference)) return undefined
        if (plainPath.test(reference)) return origin + reference
        return plainAuthority.test(reference) && !reference.includes('xn--') ? withPath(protocol + reference) : undefined
      case numberSign:
        return plainFragment.test(reference) ? href + reference : undefined
      case questionMark:
        return plainQuery.test(reference) ? page + reference : undefined
      default:
        if (unfollowed.test(reference)) return 'scheme'
        if (reference === '') return href
        if (dotOrEncodedSegment.test(reference)) return undefined
        if (plainAbsolute.test(reference) && !reference.includes('xn--')) return withPath(reference)
        return plainRelative.test(reference) ? folder + reference : undefined
    }
  }
  return { base: href, resolve }
}

/** An absolute URL without a path has the path `/`. */
function withPath(url: string): string {
  return url.indexOf('/', 8) > 0 ? url : `${url}/`
}

/** Without the C0 controls and spaces at its ends, as the URL parser reads it. */
function trimControls(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= 32) start++
  while (end > start && text.charCodeAt(end - 1) <= 32) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

function resolveSlowly(reference: string, base: URL): string | 'scheme' | undefined {
  let url: URL
  try {
    url = new URL(reference, base)
  } catch {
    return undefined
  }
  return followedSchemes.has(url.protocol) ? url.href : 'scheme'
}
