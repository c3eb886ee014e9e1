import { configWith } from '../../lib/config/resolve-config.js'
import type { PageInput, PageParse } from '../../lib/parse/page.js'
import { type ParsePageOptions, parsePage } from '../../lib/parse/parse-page.js'

/** Options of the parser: the defaults, with these properties changed. */
export function parseOptions(values: Readonly<Record<string, unknown>> = {}): ParsePageOptions {
  return configWith(values).parse
}

/** Parses markup as UTF-8 HTML from a page of example.com. */
export function parseHtml(html: string, values: Readonly<Record<string, unknown>> = {}, page: Partial<PageInput> = {}): PageParse {
  return parsePage(
    { url: 'http://www.example.com/dir/page.html', contentType: 'text/html; charset=utf-8', bytes: Buffer.from(html), ...page },
    parseOptions(values),
  )
}

/** `element url` of each link, the URL relative to example.com where it is there. */
export function linkList(parse: PageParse): string[] {
  return parse.links.map(({ element, url }) => `${element} ${url.replace('http://www.example.com', '')}`)
}
