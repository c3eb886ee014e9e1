import type { ReadOptions } from '../document.js'
import { HtmlReader } from '../html/html-reader.js'
import { PageCollector } from '../html/page-collector.js'

/** The text of a fragment of HTML, as a reader sees it; what is no markup stays as it is. */
export function htmlToText(html: string, options: ReadOptions): string {
  if (!/[<&]/.test(html)) return html
  const collector = new PageCollector(options)
  const reader = new HtmlReader(collector, options)
  reader.write(html)
  reader.end()
  collector.end()
  return collector.text
}
