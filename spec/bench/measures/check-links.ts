import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listSegments } from '../../../lib/segment/segment.js'
import type { BenchSite } from '../servers/bench-site.js'

/** What a crawl recorded of the site's links, compared with the site's own files. */
export interface LinkCheck {
  /** Pages compared. */
  readonly pages: number
  /** Distinct links of those pages. */
  readonly links: number
  /** Distinct URLs among them and the seeds. */
  readonly urls: number
}

/**
 * Compares the links of every parsed page (at most `maxPages`) with those that its file has by a plain search for attributes.
 * @throws Error that names the first page whose links differ
 */
export async function checkLinks(crawlFolder: string, site: BenchSite, maxPages = 10_000): Promise<LinkCheck> {
  const urls = new Set<string>(site.seeds)
  let pages = 0
  let links = 0
  for (const segment of await listSegments(join(crawlFolder, 'segments'))) {
    let found = new Set<string>()
    for await (const batch of segment.readCrawlParse()) {
      for (const record of batch) {
        if (record.kind === 'link') {
          found.add(record.link.to)
          continue
        }
        if (pages < maxPages) {
          compare(record.page.url, found, site)
          pages++
          links += found.size
          for (const url of found) urls.add(url)
        }
        found = new Set()
      }
    }
  }
  return { pages, links, urls: urls.size }
}

function compare(url: string, found: ReadonlySet<string>, site: BenchSite): void {
  const expected = linksOfFile(url, site)
  const missing = [...expected].filter(each => !found.has(each))
  const surplus = [...found].filter(each => !expected.has(each))
  if (missing.length + surplus.length === 0) return
  throw new Error(`links of ${url} differ from the site's: ${missing.length} missing (${missing[0]}), ${surplus.length} too many (${surplus[0]})`)
}

const attributes = /<(?:a|img|link)\b[^>]*?\b(?:href|src)="([^"]*)"/g
const scripts = /<script>.*?<\/script>/gs

/** The site has a file for each path, whatever the host and the query. */
function linksOfFile(url: string, site: BenchSite): Set<string> {
  const { pathname } = new URL(url)
  const html = readFileSync(join(site.folder, pathname === '/' ? 'index.html' : pathname), 'utf8').replace(scripts, '')
  const links = new Set<string>()
  for (const [, reference = ''] of html.matchAll(attributes)) {
    const link = new URL(reference.replaceAll('&amp;', '&'), url)
    link.hash = ''
    if (link.href !== url) links.add(link.href)
  }
  return links
}
