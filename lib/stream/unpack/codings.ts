import * as zlib from 'node:zlib'

export interface DecodedContent {
  readonly payload: Buffer
  /** Set if the payload is not all that was packed: cut at the limit, or broken off in the middle. */
  readonly truncated?: 'length' | 'disconnect'
}

/** One content coding: how it is undone at once, and as a stream. */
export interface Coding {
  readonly atOnce: (bytes: Buffer, maxOutputLength: number) => Buffer
  readonly asStream: () => zlib.Gunzip | zlib.BrotliDecompress
  /** Nothing at the start tells it from other content: text may seem to begin with a few bytes of it. */
  readonly isBare?: boolean
}

const flush = zlib.constants.Z_SYNC_FLUSH // hands out what can be unpacked of data that breaks off
const brotliFlush = zlib.constants.BROTLI_OPERATION_FLUSH

export const gzip: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { maxOutputLength }),
  asStream: () => zlib.createGunzip({ flush, finishFlush: flush }),
}
/** Has Node give the engine too, whose count says where the packed data ended; the types do not know the option. */
const withCount = { info: true }

/** @throws {RangeError} for a text of which a part was taken for packed data */
function allOf(bytes: Buffer, unpacked: unknown): Buffer {
  const { buffer, engine } = unpacked as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } // see withCount
  if (engine.bytesWritten < bytes.length && looksLikeText(bytes)) throw new RangeError('a text that begins like packed data')
  return buffer
}

/** Bytes that are looked at for ones that no text holds. */
const textBytes = 1024

/** Whether the start holds none of the control characters that packed data is full of. */
export function looksLikeText(bytes: Buffer): boolean {
  return bytes.subarray(0, textBytes).every(byte => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d)
}

const zlibDeflate: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.inflateSync(bytes, { maxOutputLength }),
  asStream: () => zlib.createInflate({ flush, finishFlush: flush }),
}
const rawDeflate: Coding = {
  atOnce: (bytes, maxOutputLength) => allOf(bytes, zlib.inflateRawSync(bytes, { maxOutputLength, ...withCount })),
  asStream: () => zlib.createInflateRaw({ flush, finishFlush: flush }),
  isBare: true,
}
const brotli: Coding = {
  atOnce: (bytes, maxOutputLength) => allOf(bytes, zlib.brotliDecompressSync(bytes, { maxOutputLength, ...withCount })),
  asStream: () => zlib.createBrotliDecompress({ flush: brotliFlush, finishFlush: brotliFlush }),
  isBare: true,
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

/** The coding that content said to be `name` really has, by its first bytes; undefined if it is none that this runtime can undo. */
export function codingFor(name: string, bytes: Buffer): Coding | undefined {
  if (name === 'gzip' || name === 'x-gzip') return isGzip(bytes) ? gzip : isZlib(bytes) ? zlibDeflate : undefined
  if (name === 'deflate' || name === 'x-deflate') return isGzip(bytes) ? gzip : isZlib(bytes) ? zlibDeflate : rawDeflate
  if (name !== 'br' && name !== 'zstd') return undefined
  if (isGzip(bytes)) return gzip
  return name === 'br' ? brotli : isZstd(bytes) ? zstd : undefined
}

export function isGzip(bytes: Buffer): boolean {
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
