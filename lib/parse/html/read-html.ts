import type { PageDocument, PageReader, ReadOptions, ReadPage } from '../document.js'
import { startObservers } from '../parse-filter.js'
import { HtmlReader } from './html-reader.js'
import type { MarkupHandler } from './markup-handler.js'
import { ObservedMarkup } from './observed-markup.js'
import { PageCollector } from './page-collector.js'
import { SaxMarkupReader } from './sax-markup-reader.js'

/** Reads HTML in one pass, by htmlparser2 or, if `parser.html.impl` says so, by sax in its loose mode. */
export const readHtml: PageReader = (document, options) =>
  collect(document, options, handler => (options.htmlReader === 'sax' ? new SaxMarkupReader(handler, true) : new HtmlReader(handler, options)))

/** Reads XHTML as XML, forgiving what is not well-formed. */
export const readXhtml: PageReader = (document, options) => collect(document, options, handler => new SaxMarkupReader(handler, false))

interface MarkupReader {
  write(chunk: string): void
  end(): void
  readonly fault?: string | undefined
}

function collect(document: PageDocument, options: ReadOptions, createReader: (handler: MarkupHandler) => MarkupReader): ReadPage {
  const collector = new PageCollector(options)
  const observers = startObservers(options.filters ?? [], document.page)
  const reader = createReader(observers.length === 0 ? collector : new ObservedMarkup(collector, observers))
  for (const piece of document.pieces()) reader.write(piece)
  if (!document.isOverTime) reader.end()
  collector.end()
  return { raw: collector.page, text: collector.text, observers, ...(reader.fault === undefined ? {} : { fault: reader.fault }) }
}
