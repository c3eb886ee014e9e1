import { decideCharset } from './charset/decide-charset.js'
import { PageDocument, type ReadOptions } from './document.js'
import { finishPage } from './finish-page.js'
import type { PageInput, PageParse } from './page.js'
import { type PageReaders, readerFor } from './page-readers.js'
import { emptyRawPage } from './raw-page.js'
import { isXmlType, mediaTypeOf } from './type/media-type.js'
import { sniffType } from './type/sniff-type.js'

export type ParsePageOptions = ReadOptions & {
  /** Readers of a plugin, by media type. */
  readonly readers?: PageReaders
}

/**
 * Reads one page: decides its type and charset, and collects what it says. Pure and synchronous, plain data in and out; never throws for what
 * a page holds. A type that has no reader gives the status `notparsed` with the cause `type: …`, a page that was cut off `truncated: …`.
 * @throws {TypeError} if the page's own URL is no absolute URL
 */
export function parsePage(page: PageInput, options: ParsePageOptions): PageParse {
  const mediaType = options.sniffsType ? sniffType(page) : (mediaTypeOf(page.contentType) ?? 'application/octet-stream')
  const reader = readerFor(mediaType, options.readers)
  // XML says itself what it is, or is UTF-8 (XML 1.0, 4.3.3).
  const charset = decideCharset(page.bytes, page.contentType, isXmlType(mediaType) ? { ...options, defaultCharset: 'utf-8' } : options)
  const document = new PageDocument(page, mediaType, charset, options.timeoutMs)
  if (reader === undefined) return unparsed(document, options, `type: ${mediaType} is not parsed`)
  if (page.isTruncated === true && options.skipsTruncated) return unparsed(document, options, 'truncated: the fetch stopped before the end')
  return finishPage(document, reader(document, options), options)
}

function unparsed(document: PageDocument, options: ParsePageOptions, cause: string): PageParse {
  return { ...finishPage(document, { raw: emptyRawPage(), text: '' }, options), status: 'notparsed', cause }
}
