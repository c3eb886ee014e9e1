/**
 * The URLs that a sitemap may speak for (sitemaps.org, "Sitemap file location" and "Sitemaps & Cross Submits"): what stands under the folder it is
 * in, on its own host, scheme and port, and all of another origin whose robots.txt names it.
 */
export function sitemapScope(sitemapUrl: string, namedBy: readonly string[] = []): (url: string) => boolean {
  const { origin, pathname } = new URL(sitemapUrl)
  const folder = origin + pathname.slice(0, pathname.lastIndexOf('/') + 1)
  const places = [folder, ...namedBy.filter(other => other !== origin).map(other => `${other}/`)]
  return url => places.some(place => url.startsWith(place))
}

/** The absolute URL that a loc gives: trimmed, web schemes only; undefined for what is none. Relative ones are none, by the protocol. */
export function absoluteLoc(loc: string): string | undefined {
  const text = loc.trim()
  if (!/^(?:https?|ftp):\/\//i.test(text)) return undefined
  try {
    return new URL(text).href
  } catch {
    return undefined
  }
}
