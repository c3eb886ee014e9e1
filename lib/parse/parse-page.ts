import { decideCharset } from './charset/decide-charset.js'
import { PageDocument, type PageReader, type ReadOptions } from './document.js'
import { finishPage } from './finish-page.js'
import type { PageInput, PageParse } from './page.js'
import { type PageReaders, readerFor } from './page-readers.js'
import { callFilter, ParseFilterFailure } from './parse-filter.js'
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
  const charset = decideCharset(page.bytes, page.contentType, { ...options, isXml: isXmlType(mediaType) })
  const document = new PageDocument(page, mediaType, charset, options.timeoutMs)
  if (reader === undefined) return unparsed(document, options, `type: ${mediaType} is not parsed`)
  if (page.isTruncated === true && options.skipsTruncated) return unparsed(document, options, 'truncated: the fetch stopped before the end')
  return filtered(document, reader, options)
}

/** Reads a page and lets the plugins' observers and filters have their say. One that throws makes the parse of the page fail. */
function filtered(document: PageDocument, reader: PageReader, options: ParsePageOptions): PageParse {
  try {
    const read = reader(document, options)
    let parse = finishPage(document, read, options)
    for (const { name, observer } of read.observers ?? []) parse = callFilter(name, () => observer.finish?.(parse)) ?? parse
    for (const filter of options.filters ?? []) parse = callFilter(filter.name, () => filter.filter?.(parse, document.page)) ?? parse
    return parse
  } catch (error) {
    if (!(error instanceof ParseFilterFailure)) throw error
    return { ...unparsed(document, options, error.message), status: 'failed' }
  }
}

function unparsed(document: PageDocument, options: ParsePageOptions, cause: string): PageParse {
  return { ...finishPage(document, { raw: emptyRawPage(), text: '' }, options), status: 'notparsed', cause }
}
