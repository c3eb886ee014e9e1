import { parseSitemap } from './parse-sitemap.js'
import type { SitemapEntry, SitemapFault, SitemapOptions } from './sitemap-entry.js'

/** A sitemap that answered. */
export interface OpenSitemap {
  /** Where it was in the end, behind redirects: what it may speak for. */
  readonly url: string
  readonly contentType?: string
  readonly bytes: AsyncIterable<Uint8Array>
  /** The fetch stopped before its end. */
  readonly isTruncated?: boolean
}

export type WalkFault = SitemapFault | 'unreachable' | 'too_deep' | 'too_many'

export interface WalkOptions extends Omit<SitemapOptions, 'url' | 'onFault'> {
  /** How deep indexes may name indexes; the sitemaps given are at depth 0. */
  readonly maxIndexDepth: number
  /** Sitemaps that are read at most. */
  readonly maxSitemaps: number
  /** Fetches one; undefined if there is none to be had. */
  open(url: string): Promise<OpenSitemap | undefined>
  onFault?(fault: WalkFault, sitemap: string, fact: string): void
}

/** A page that a sitemap names, and the sitemap. */
export interface WalkedEntry {
  readonly entry: SitemapEntry
  readonly sitemap: string
}

/** A sitemap to begin with. */
export interface SitemapStart {
  readonly url: string
  /** The origin whose robots.txt names it. */
  readonly namedBy?: string
}

interface Waiting {
  readonly url: string
  readonly depth: number
  readonly namedBy: Set<string>
}

/**
 * Reads sitemaps and those that they name, each at most once however often and under whatever redirects it is named, so that indexes which hold
 * themselves or each other end; deeper than the limit nothing is followed. Yields pages only. What waits is bounded by `maxSitemaps`.
 */
export async function* walkSitemaps(starts: Iterable<SitemapStart>, options: WalkOptions): AsyncGenerator<WalkedEntry> {
  /** Origins that name each sitemap met so far. */
  const seen = new Map<string, Set<string>>()
  const waiting: Waiting[] = []
  const enqueue = (url: string, depth: number, from: string, namedBy: Iterable<string>): void => {
    const key = withoutFragment(url)
    const before = seen.get(key)
    if (before !== undefined) for (const origin of namedBy) before.add(origin)
    else if (depth > options.maxIndexDepth) options.onFault?.('too_deep', from, key)
    else if (seen.size >= options.maxSitemaps) options.onFault?.('too_many', from, key)
    else {
      const origins = new Set(namedBy)
      seen.set(key, origins)
      waiting.push({ url: key, depth, namedBy: origins })
    }
  }
  for (const { url, namedBy } of starts) enqueue(url, 0, url, namedBy === undefined ? [] : [namedBy])
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { url, depth, namedBy } = next
    const sitemap = await options.open(url)
    if (sitemap === undefined) {
      options.onFault?.('unreachable', url, 'no answer that can be read')
      continue
    }
    const place = withoutFragment(sitemap.url)
    if (place !== url && seen.has(place)) continue // redirected to one that was read, or will be
    seen.set(place, namedBy)
    const { isTruncated = false } = sitemap
    const reading = { ...options, url: place, namedBy: [...namedBy], isTruncated, onFault: faultOf(options, place) }
    for await (const entry of parseSitemap(sitemap.bytes, reading, sitemap.contentType)) {
      if (entry.type === 'index') enqueue(entry.url, depth + 1, place, namedBy)
      else yield { entry, sitemap: place }
    }
  }
}

function faultOf({ onFault }: WalkOptions, sitemap: string): (fault: SitemapFault, fact: string) => void {
  return (fault, fact) => onFault?.(fault, sitemap, fact)
}

function withoutFragment(url: string): string {
  const hash = url.indexOf('#')
  return hash < 0 ? url : url.slice(0, hash)
}
