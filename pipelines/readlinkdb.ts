import type { LinkDb } from '../lib/linkdb/link-db.js'
import { formatLine } from '../lib/record/line-format.js'
import type { Url } from '../lib/record/url.js'
import { urlOfKey } from '../lib/record/url-key.js'

export interface LinkDumpOptions {
  /** `text` is Nutch's form; `lines` gives a line for each link, in the line format. */
  readonly form: 'text' | 'lines'
  /** Inlinks by target, or outlinks by source. @defaultValue 'in' */
  readonly direction?: 'in' | 'out'
  /** Pages whose links are given. @defaultValue all */
  readonly matches?: (url: Url) => boolean
  /** Links of one page at most (Nutch: linkdb.max.inlinks). */
  readonly maxLinks: number
  readonly signal?: AbortSignal | undefined
}

interface PageLinks {
  readonly url: Url
  readonly links: readonly { readonly other: Url; readonly anchor: string }[]
}

/** All links of the LinkDb, page by page in the order of keys. */
export async function* dumpLinkDb(linkDb: LinkDb, options: LinkDumpOptions): AsyncGenerator<string> {
  const { direction = 'in', matches = () => true, maxLinks, signal } = options
  for await (const { url, links } of direction === 'in' ? pagesByTarget(linkDb) : pagesBySource(linkDb)) {
    signal?.throwIfAborted()
    if (matches(url)) yield formatPage({ url, links: links.slice(0, maxLinks) }, options.form, direction)
  }
}

async function* pagesByTarget(linkDb: LinkDb): AsyncGenerator<PageLinks> {
  for await (const { url, inlinks } of linkDb.byTarget()) yield { url, links: inlinks.map(({ from, anchor }) => ({ other: from, anchor })) }
}

async function* pagesBySource(linkDb: LinkDb): AsyncGenerator<PageLinks> {
  for await (const { key, links } of linkDb.bySource())
    yield { url: urlOfKey(key), links: links.map(({ to, anchor }) => ({ other: urlOfKey(to), anchor })) }
}

/** Nutch's LinkDbReader: URL, TAB, a line for each link, an empty line. */
function formatPage({ url, links }: PageLinks, form: LinkDumpOptions['form'], direction: 'in' | 'out'): string {
  if (form === 'lines')
    return links.map(({ other, anchor }) => formatLine(url, direction === 'in' ? { from: other, anchor } : { to: other, anchor })).join('')
  const [title, word] = direction === 'in' ? ['Inlinks', 'fromUrl'] : ['Outlinks', 'toUrl']
  return `${url}\t${title}:\n${links.map(({ other, anchor }) => ` ${word}: ${other} anchor: ${anchor}\n`).join('')}\n`
}

export interface LinksOfOptions {
  readonly form: 'text' | 'lines'
  readonly direction: 'in' | 'out'
  readonly maxLinks: number
}

/** The links of one page, a line each; nothing if it has none. */
export async function* linksOf(linkDb: LinkDb, url: Url, { form, direction, maxLinks }: LinksOfOptions): AsyncGenerator<string> {
  if (direction === 'out') {
    for (const { to, anchor } of (await linkDb.outlinks(url)).slice(0, maxLinks))
      yield form === 'lines' ? formatLine(url, { to, anchor }) : `toUrl: ${to} anchor: ${anchor}\n`
    return
  }
  for await (const { from, anchor } of linkDb.inlinks(url, maxLinks))
    yield form === 'lines' ? formatLine(url, { from, anchor }) : `fromUrl: ${from} anchor: ${anchor}\n`
}
