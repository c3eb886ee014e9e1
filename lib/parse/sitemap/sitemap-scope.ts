/**
 * The URLs that a sitemap may speak for (sitemaps.org, "Sitemap file location"): what stands under the folder it is in, on its own host,
 * scheme and port. Crawler-commons decides so too.
 */
export function sitemapScope(sitemapUrl: string): (url: string) => boolean {
  const { origin, pathname } = new URL(sitemapUrl)
  const folder = origin + pathname.slice(0, pathname.lastIndexOf('/') + 1)
  return url => url.startsWith(folder)
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
