import { isAscii } from 'node:buffer'
import { createDecoder } from './create-decoder.js'

/** Bytes decoded at a time: small enough that a time limit is noticed, large enough that decoding is fast. */
const sliceBytes = 65_536

/** Decodes a whole page piece by piece. Malformed bytes become U+FFFD, as in browsers. @param charset a name of the Encoding Standard */
export function* decodeBytes(bytes: Uint8Array, charset: string): Generator<string> {
  if (charset === 'utf-8') {
    yield* decodeUtf8(bytes)
    return
  }
  const decoder = createDecoder(charset, { ignoreBOM: true })
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    const end = start + sliceBytes
    yield decoder.decode(bytes.subarray(start, end), { stream: end < bytes.length })
  }
}

/** All of it as one string, for what is known to be short. */
export function decodeAll(bytes: Uint8Array, charset: string): string {
  return [...decodeBytes(bytes, charset)].join('')
}

/** UTF-8 cut at the start of a character, so that each piece takes the platform's fast way for whole strings. */
function* decodeUtf8(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = 0
  while (start < buffer.length) {
    let end = Math.min(start + sliceBytes, buffer.length)
    for (let back = 0; back < 4 && end < buffer.length && ((buffer[end] as number) & 0xc0) === 0x80; back++) end--
    yield isAscii(buffer.subarray(start, end)) ? buffer.toString('latin1', start, end) : buffer.toString('utf8', start, end)
    start = end
  }
}
