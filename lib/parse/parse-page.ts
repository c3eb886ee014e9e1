import type { CollectorConfig } from './html/page-collector.js'
import { parseHtml } from './html/parse-html.js'
import type { PageInput, PageParse } from './page.js'

export type ParsePageOptions = CollectorConfig

/** Reads one page: decides its type and charset, and collects what it says. Pure and synchronous; never throws for what a page holds. */
export function parsePage(page: PageInput, options: ParsePageOptions): PageParse {
  return parseHtml(page, 'text/html', options)
}
