import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { type HttpField, joinedValues } from './http-head.js'

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

/**
 * The body with its Content-Encodings removed, last one first. A body that ends early gives what can be had of it; one that is declared
 * compressed but is not, or has a coding that is not known, is given as it is, as browsers' archives hold many of them.
 */
export function decodedBody(
  fields: readonly HttpField[],
  body: Uint8Array,
  { maxPayloadBytes = 64 * 1024 * 1024 }: DecodeBodyOptions = {},
): Uint8Array {
  const codings = (joinedValues(fields, 'content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '' && coding !== 'identity')
  let payload = body
  for (const coding of codings.reverse()) {
    const decoded = decodeOne(coding, payload, maxPayloadBytes)
    if (decoded === undefined) return payload
    payload = decoded
  }
  return payload
}

function decodeOne(coding: string, body: Uint8Array, maxOutputLength: number): Uint8Array | undefined {
  if (body.length === 0) return body
  const zlib = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength }
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return body[0] === 0x1f && body[1] === 0x8b ? withinLimit(part => gunzipSync(part, zlib), body) : undefined
    case 'deflate':
      return withinLimit(part => inflateSync(part, zlib), body) ?? withinLimit(part => inflateRawSync(part, zlib), body)
    case 'br':
      return withinLimit(part => brotliDecompressSync(part, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength }), body)
    default:
      return undefined
  }
}

/** Decodes, and where that would give more than the limit, decodes the largest half, quarter, … of the input that stays below it. */
function withinLimit(decode: (part: Uint8Array) => Buffer, body: Uint8Array): Uint8Array | undefined {
  for (let length = body.length; length > 0; length = Math.floor(length / 2)) {
    try {
      return decode(body.subarray(0, length))
    } catch (error) {
      if (!(error instanceof RangeError)) return undefined
    }
  }
  return new Uint8Array()
}
