import type { PageReader } from '../document.js'
import { XmlReader } from '../xml/xml-reader.js'
import { FeedCollector } from './feed-collector.js'

/** Reads RSS, Atom and CDF as far as they can be read. */
export const readFeed: PageReader = (document, options) => {
  const collector = new FeedCollector(options, document.page.baseUrl ?? document.page.url)
  const reader = new XmlReader(collector, options)
  for (const piece of document.pieces()) reader.write(piece)
  reader.end()
  collector.end()
  return { raw: collector.page, text: collector.text, ...(reader.fault === undefined ? {} : { fault: reader.fault }) }
}
