import { byteOrderMark } from '../charset/decide-charset.js'
import { decodeAll } from '../charset/decode-bytes.js'
import { utf16Of } from '../charset/detect-charset.js'
import { looksBinary, magicType } from './magic.js'
import { isTextType, isUnknownType, isXmlType, mediaTypeOf } from './media-type.js'

export interface SniffedPage {
  readonly url: string
  readonly contentType?: string
  readonly bytes: Uint8Array
}

/** Bytes in which the first element of a document is looked for; licences and doctypes stand before it. */
const rootBytes = 8192

/**
 * The media type of a page: what its bytes say, with Content-Type as the hint (Nutch’s mime.type.magic; the MIME Sniffing Standard). A type that
 * names something in particular is believed, unless it names text and the bytes are a picture or archive; what the server does not know is
 * read from the bytes, and from the file name where they are plain text.
 */
export function sniffType(page: SniffedPage): string {
  const declared = mediaTypeOf(page.contentType)
  if (declared !== undefined && !isUnknownType(declared) && !isTextType(declared)) return declared
  const magic = magicType(page.bytes)
  if (magic !== undefined) return magic
  if (isUnknownType(declared) || declared === undefined) return typeOfContent(page)
  if (declared === 'text/plain') return looksBinary(page.bytes) ? 'application/octet-stream' : declared
  if (isXmlType(declared) || declared === 'text/html' || declared === 'application/rss' || declared === 'application/atom') {
    return typeOfMarkup(declared, page.bytes)
  }
  return declared
}

/** The type of what comes without one. */
function typeOfContent({ url, bytes }: SniffedPage): string {
  const fromRoot = rootType(bytes)
  if (fromRoot !== undefined) return fromRoot
  const fromName = typeOfName(url)
  if (looksBinary(bytes)) return fromName !== undefined && !isTextType(fromName) ? fromName : 'application/octet-stream'
  return fromName ?? 'text/plain'
}

/** Feeds are often sent as HTML or as XML, and XHTML as XML: the first element tells. */
function typeOfMarkup(declared: string, bytes: Uint8Array): string {
  const fromRoot = (isXmlType(declared) ? rootBehindWarning(bytes) : undefined) ?? rootType(bytes)
  if (fromRoot === undefined) return declared
  if (declared === 'text/html') return feedTypes.has(fromRoot) ? fromRoot : declared
  return fromRoot === 'application/xml' || (fromRoot === 'text/html' && declared !== 'application/xml' && declared !== 'text/xml')
    ? declared
    : fromRoot
}

/** The type of the document behind what a server printed before its XML declaration. */
function rootBehindWarning(bytes: Uint8Array): string | undefined {
  const text = startOf(bytes, rootBytes)
  const at = text.search(/<\?xml\s/)
  return at > 0 ? typeOfRoot(text.slice(at)) : undefined
}

/** The type of the first element, which mostly stands at the very start. */
function rootType(bytes: Uint8Array): string | undefined {
  return typeOfRoot(startOf(bytes, 1024)) ?? typeOfRoot(startOf(bytes, rootBytes))
}

function startOf(bytes: Uint8Array, limitBytes: number): string {
  const mark = byteOrderMark(bytes)
  const start = bytes.subarray(mark?.markBytes ?? 0, limitBytes)
  const wide = mark?.charset ?? utf16Of(bytes)
  return wide === undefined ? Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1') : decodeAll(start, wide)
}

const feedTypes = new Set(['application/rss+xml', 'application/atom+xml', 'application/rdf+xml'])

const typesOfRoots: Readonly<Record<string, string>> = {
  rss: 'application/rss+xml',
  channel: 'application/rss+xml',
  feed: 'application/atom+xml',
  'rdf:rdf': 'application/rdf+xml',
  rdf: 'application/rdf+xml',
  opml: 'text/x-opml',
  svg: 'image/svg+xml',
  urlset: 'application/xml',
  sitemapindex: 'application/xml',
}

/** First elements that make a document HTML (MIME Sniffing Standard, 7.1, and the ones that pages without a head begin with). */
const htmlRoots = new Set(
  [
    'html head script iframe h1 div font table a style title b body br p meta link base center img span',
    'frameset noscript ul ol form h2 h3 section article main nav header',
  ].flatMap(names => names.split(' ')),
)

/** The type that the first element tells of, or undefined if the text starts with none. */
function typeOfRoot(text: string): string | undefined {
  const { rest, isXml, isHtmlDoctype } = skipProlog(text)
  if (isHtmlDoctype)
    return /<html[^>]*xmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml/i.test(rest.slice(0, 1000)) && isXml ? 'application/xhtml+xml' : 'text/html'
  const name = /^<([a-z][\w.:-]*)/i.exec(rest)?.[1]?.toLowerCase()
  if (name === undefined) return isXml ? 'application/xml' : undefined
  if (name === 'html') return isXml || /^<html[^>]*xmlns=/i.test(rest.slice(0, 1000)) ? 'application/xhtml+xml' : 'text/html'
  const local = name === 'rdf:rdf' ? name : name.slice(name.indexOf(':') + 1)
  const known = Object.hasOwn(typesOfRoots, local) ? typesOfRoots[local] : undefined
  if (known !== undefined) return known
  if (isXml) return 'application/xml'
  return htmlRoots.has(name) ? 'text/html' : undefined
}

/** What stands behind XML declaration, processing instructions, comments and doctype. */
function skipProlog(text: string): { readonly rest: string; readonly isXml: boolean; readonly isHtmlDoctype: boolean } {
  let at = 0
  let isXml = false
  let isHtmlDoctype = false
  for (;;) {
    while (at < text.length && text.charCodeAt(at) <= 32) at++
    const isInstruction = text.startsWith('<?', at)
    const isComment = text.startsWith('<!--', at)
    const doctype = /^<!doctype\s+([\w:-]*)/i.exec(text.slice(at, at + 60))
    if (!isInstruction && !isComment && doctype === null) return { rest: text.slice(at), isXml, isHtmlDoctype }
    if (text.startsWith('<?xml', at)) isXml = true
    if (doctype?.[1]?.toLowerCase() === 'html') isHtmlDoctype = true
    const end = text.indexOf(isComment ? '-->' : '>', at)
    if (end < 0) return { rest: '', isXml, isHtmlDoctype }
    at = end + (isComment ? 3 : 1)
  }
}

const typesOfNames: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  json: 'application/json',
  js: 'text/javascript',
  mjs: 'text/javascript',
  css: 'text/css',
  csv: 'text/csv',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  exe: 'application/x-msdownload',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
}

function typeOfName(url: string): string | undefined {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(url.split(/[?#]/, 1)[0] ?? '')?.[1]?.toLowerCase()
  return extension !== undefined && Object.hasOwn(typesOfNames, extension) ? typesOfNames[extension] : undefined
}
