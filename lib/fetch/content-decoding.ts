import * as zlib from 'node:zlib'
import { unpackBounded } from './unpack-bounded.js'

export interface DecodedContent {
  readonly payload: Buffer
  /** Set if the payload is not all that was packed: cut at the limit, or broken off in the middle. */
  readonly truncated?: 'length' | 'disconnect'
}

export interface DecodingLimits {
  /** Longest payload. */
  readonly limitBytes: number
  /** Largest growth, counted beyond the first MiB. */
  readonly maxRatio: number
}

/** One content coding: how it is undone at once, and as a stream. */
export interface Coding {
  readonly atOnce: (bytes: Buffer, maxOutputLength: number) => Buffer
  readonly asStream: () => zlib.Gunzip | zlib.BrotliDecompress
}

const flush = zlib.constants.Z_SYNC_FLUSH // hands out what can be unpacked of data that breaks off
const brotliFlush = zlib.constants.BROTLI_OPERATION_FLUSH

const gzip: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { maxOutputLength }),
  asStream: () => zlib.createGunzip({ finishFlush: flush }),
}
const zlibDeflate: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.inflateSync(bytes, { maxOutputLength }),
  asStream: () => zlib.createInflate({ finishFlush: flush }),
}
const rawDeflate: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.inflateRawSync(bytes, { maxOutputLength }),
  asStream: () => zlib.createInflateRaw({ finishFlush: flush }),
}
const brotli: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.brotliDecompressSync(bytes, { maxOutputLength }),
  asStream: () => zlib.createBrotliDecompress({ finishFlush: brotliFlush }),
}

/** What newer runtimes have; the types of Node 20 do not name it. */
const withZstd = zlib as typeof zlib & {
  zstdDecompressSync?: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer
  createZstdDecompress?: (options?: object) => zlib.Gunzip
}
const zstd = ((): Coding | undefined => {
  const { zstdDecompressSync, createZstdDecompress } = withZstd
  if (zstdDecompressSync === undefined || createZstdDecompress === undefined) return undefined
  return { atOnce: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }), asStream: () => createZstdDecompress() }
})()

/** The Accept-Encoding to send: the codings that this runtime can undo. */
export const acceptEncoding = zstd === undefined ? 'gzip, deflate, br' : 'gzip, deflate, br, zstd'

/** More codings than this on top of each other are no honest answer. */
const maxCodings = 5

/**
 * Undoes the codings of a Content-Encoding header, last one first, never unpacking more than the limit. Content that is not what the header
 * says is taken as it is; content gzipped once more than the header says is unpacked, unless a gzip file is what was asked for.
 */
export async function decodeContent(
  body: Buffer,
  contentEncoding: string,
  { limits, isGzipFile = false }: { readonly limits: DecodingLimits; readonly isGzipFile?: boolean },
): Promise<DecodedContent> {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity' && name !== 'none')
  let content: DecodedContent = { payload: body }
  if (names.length === 0 || names.length > maxCodings || body.length === 0) return content
  for (const name of names.reverse()) {
    const next = await undo(codingFor(name, content.payload), content.payload, limits)
    if (next === undefined) return content
    content = merged(content, next)
  }
  if (!isGzipFile && isGzip(content.payload)) {
    const next = await undo(gzip, content.payload, limits)
    if (next !== undefined) content = merged(content, next)
  }
  return content
}

function merged(before: DecodedContent, after: DecodedContent): DecodedContent {
  const truncated = after.truncated ?? before.truncated
  return truncated === undefined ? { payload: after.payload } : { payload: after.payload, truncated }
}

function codingFor(name: string, bytes: Buffer): Coding | undefined {
  if (name === 'gzip' || name === 'x-gzip') return isGzip(bytes) ? gzip : isZlib(bytes) ? zlibDeflate : undefined
  if (name === 'deflate' || name === 'x-deflate') return isGzip(bytes) ? gzip : isZlib(bytes) ? zlibDeflate : rawDeflate
  if (name === 'br') return brotli
  return name === 'zstd' && isZstd(bytes) ? zstd : undefined
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08
}

/** RFC 1950: method deflate, and a header that is a multiple of 31. */
function isZlib(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes
  return bytes.length >= 2 && (first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0
}

function isZstd(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528
}

/** Undefined if nothing at all could be unpacked: then it was not packed so. */
async function undo(coding: Coding | undefined, bytes: Buffer, limits: DecodingLimits): Promise<DecodedContent | undefined> {
  if (coding === undefined) return undefined
  const mostBytes = Math.min(limits.limitBytes, Math.max(1_048_576, bytes.length * limits.maxRatio))
  try {
    return { payload: coding.atOnce(bytes, Math.max(1, mostBytes)) }
  } catch {
    return unpackBounded(coding, bytes, mostBytes) // too long, broken off or spoilt: keep what can be had
  }
}
