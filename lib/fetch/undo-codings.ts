import type { DecodedContent } from '../stream/unpack/codings.js'
import { type DecodingLimits, decodeContent, namesGzipFile } from '../stream/unpack/content-decoding.js'
import { type HeaderList, headerValue, headerValues } from './header-list.js'

/** The body without codings of Transfer-Encoding that stand beside chunked (RFC 9112 §7.2): nobody asked for them, and some servers use them. */
export async function undoTransfer(body: Buffer, headers: HeaderList, limits: DecodingLimits): Promise<DecodedContent> {
  const codings = headerValues(headers, 'transfer-encoding')
    .join(',')
    .replace(/\bchunked\b/gi, '')
  return decodeContent(body, codings, { limits, isGzipFile: true }) // what is gzip still is the content's own
}

/** The content of a body, by its Content-Encoding. */
export async function undoContent(
  body: Buffer,
  headers: HeaderList,
  { url, limits }: { readonly url: URL; readonly limits: DecodingLimits },
): Promise<DecodedContent> {
  const isGzipFile = namesGzipFile(url.pathname, headerValue(headers, 'content-type'))
  return decodeContent(body, headerValues(headers, 'content-encoding').join(','), { limits, isGzipFile })
}
