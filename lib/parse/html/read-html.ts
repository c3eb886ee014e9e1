import type { PageDocument, PageReader, ReadOptions, ReadPage } from '../document.js'
import { HtmlReader } from './html-reader.js'
import { PageCollector } from './page-collector.js'
import { SaxMarkupReader } from './sax-markup-reader.js'

/** Reads HTML in one pass, by htmlparser2 or, if `parser.html.impl` says so, by sax in its loose mode. */
export const readHtml: PageReader = (document, options) => {
  if (options.htmlReader === 'sax') return readBySax(document, options, true)
  const collector = new PageCollector(options)
  const reader = new HtmlReader(collector, options)
  for (const piece of document.pieces()) reader.write(piece)
  if (!document.isOverTime) reader.end()
  return collected(collector)
}

/** Reads XHTML as XML, forgiving what is not well-formed. */
export const readXhtml: PageReader = (document, options) => readBySax(document, options, false)

function readBySax(document: PageDocument, options: ReadOptions, isHtml: boolean): ReadPage {
  const collector = new PageCollector(options)
  const reader = new SaxMarkupReader(collector, isHtml)
  for (const piece of document.pieces()) reader.write(piece)
  if (!document.isOverTime) reader.end()
  return collected(collector, reader.fault)
}

function collected(collector: PageCollector, fault?: string): ReadPage {
  collector.end()
  return { raw: collector.page, text: collector.text, ...(fault === undefined ? {} : { fault }) }
}
