import type { PageReader } from './document.js'
import { readFeed } from './feed/read-feed.js'
import { readJson } from './feed/read-json-feed.js'
import { readHtml, readXhtml } from './html/read-html.js'
import { readText } from './text/read-text.js'
import { isXmlType } from './type/media-type.js'
import { readXml } from './xml/read-xml.js'

/** Readers by media type. A plugin's readers go before these. */
export type PageReaders = ReadonlyMap<string, PageReader>

export const pageReaders: PageReaders = new Map<string, PageReader>([
  ['text/html', readHtml],
  ['application/xhtml+xml', readXhtml],
  ['application/vnd.wap.xhtml+xml', readXhtml],
  ['application/rss+xml', readFeed],
  ['application/atom+xml', readFeed],
  ['application/rdf+xml', readFeed],
  ['application/rss', readFeed],
  ['application/atom', readFeed],
  ['text/rss+xml', readFeed],
  ['text/atom+xml', readFeed],
  ['application/feed+json', readJson],
  ['application/json', readJson],
  ['application/xml', readXml],
  ['text/xml', readXml],
  ['text/x-opml', readXml],
  ['image/svg+xml', readXml],
  ['text/plain', readText],
])

/** Text that holds no prose and no links to pages. */
const unreadTypes = new Set(['text/css', 'text/javascript', 'text/ecmascript', 'text/x-javascript'])

/** The reader for a type: its own, that of XML for what ends in `+xml`, that of plain text for other text; undefined for what is no text. */
export function readerFor(mediaType: string, extra: PageReaders = new Map()): PageReader | undefined {
  const own = extra.get(mediaType) ?? pageReaders.get(mediaType)
  if (own !== undefined || unreadTypes.has(mediaType)) return own
  if (isXmlType(mediaType) || mediaType === 'application/xml-dtd' || mediaType.endsWith('xml-external-parsed-entity')) return readXml
  return mediaType.startsWith('text/') ? readText : undefined
}
