import type { DecodedContent } from '../stream/unpack/codings.js'
import { decodeContent, namesGzipFile } from '../stream/unpack/content-decoding.js'
import { fieldValue, type HttpField, joinedValues } from './http-head.js'

export interface DecodeBodyOptions {
  /** What is decoded of a body at most. @defaultValue 64 MiB */
  readonly maxPayloadBytes?: number | undefined
}

/** The body with Transfer-Encoding removed. A body that is declared chunked but is not (many archives store it joined) is given as it is. */
export function unchunkedBody(fields: readonly HttpField[], body: Uint8Array): Uint8Array {
  const coding = joinedValues(fields, 'transfer-encoding')
  if (coding === undefined || !/(?:^|,)\s*chunked\s*$/i.test(coding)) return body
  return dechunk(body) ?? body
}

/** Joins the chunks of a chunked body (RFC 9112 §7.1); what is there of a body that ends early or goes wrong; undefined if no chunk begins it. */
export function dechunk(body: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const chunks: Buffer[] = []
  let at = 0
  while (at < bytes.length) {
    const lineEnd = bytes.indexOf(10, at)
    const size = lineEnd < 0 || lineEnd - at > 1024 ? null : /^\s*([0-9a-f]{1,8})\s*(?:;.*)?\r?$/i.exec(bytes.toString('latin1', at, lineEnd))
    if (size === null) return chunks.length === 0 ? undefined : Buffer.concat([...chunks, bytes.subarray(at)])
    const length = Number.parseInt(size[1] ?? '0', 16)
    if (length === 0) break
    chunks.push(bytes.subarray(lineEnd + 1, lineEnd + 1 + length))
    at = lineEnd + 1 + length
    if (bytes[at] === 13) at++
    if (bytes[at] === 10) at++
  }
  return Buffer.concat(chunks)
}

/** The codings that a body is packed in, in the order they were applied. Empty if it is not packed: who stores Transfer-Encoding under another name has
 *  undone it. */
export function packingOf(fields: readonly HttpField[]): string {
  const names = ['content-encoding', 'transfer-encoding']
  const codings = names.flatMap(name => joinedValues(fields, name)?.split(',') ?? [])
  return codings.filter(coding => !/^\s*chunked\s*$/i.test(coding)).join(',')
}

/** The body with its Content-Encodings removed, as the fetcher removes them: what can be had of one that is broken, and the body as it is where
 *  it is not packed as it says. @param url of the page, which may be a gzip file */
export async function decodedBody(
  url: string,
  fields: readonly HttpField[],
  body: Uint8Array,
  { maxPayloadBytes = 64 * 1024 * 1024 }: DecodeBodyOptions = {},
): Promise<{ readonly payload: Uint8Array; readonly truncated?: DecodedContent['truncated'] }> {
  const isGzipFile = namesGzipFile(url.split(/[?#]/, 1)[0] ?? '', fieldValue(fields, 'content-type'))
  const packed = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const limits = { limitBytes: maxPayloadBytes, maxRatio: Number.POSITIVE_INFINITY }
  const decoded = await decodeContent(packed, packingOf(fields), { limits, isGzipFile })
  return decoded.payload === packed ? { payload: body } : decoded
}
