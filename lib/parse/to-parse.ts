import type { Metadata } from '../record/metadata.js'
import type { Outlink, Parse } from '../record/records.js'
import type { Url } from '../record/url.js'
import type { PageParse } from './page.js'

/** Keys of parse metadata, Nutch's where Nutch has them (org.apache.nutch.metadata.Metadata, HttpHeaders). */
export const parseMetadataKeys = {
  contentType: 'Content-Type',
  charset: 'CharEncodingForConversion',
  charsetSource: 'charset.source',
  language: 'language',
  canonical: 'canonical',
  /** Why the page must not be shown from a cache. */
  cachingForbidden: 'caching.forbidden',
} as const

/** The record of a parsed page. A page that asks not to be indexed keeps its links, but neither title nor text (Nutch's parse-html). */
export function toParse(page: PageParse, pageUrl: Url, outlinks: readonly Outlink[], signature: Uint8Array): Parse {
  const isShown = !page.robots.noindex
  return {
    url: pageUrl,
    status: page.status,
    title: isShown ? page.title : '',
    text: isShown ? page.text : '',
    outlinks,
    metadata: recordMetadata(page),
    robots: page.robots,
    signature,
    ...(page.cause === undefined ? {} : { cause: page.cause }),
  }
}

function recordMetadata(page: PageParse): Metadata {
  const metadata: Record<string, string> = {
    [parseMetadataKeys.contentType]: page.mediaType,
    [parseMetadataKeys.charset]: page.charset,
    [parseMetadataKeys.charsetSource]: page.charsetSource,
  }
  if (page.lang !== '') metadata[parseMetadataKeys.language] = page.lang
  if (page.canonical !== undefined) metadata[parseMetadataKeys.canonical] = page.canonical
  if (page.robots.noarchive) metadata[parseMetadataKeys.cachingForbidden] = 'all'
  return { ...metadata, ...page.metadata }
}
