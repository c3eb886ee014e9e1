import { ByteCursor } from '../../stream/unpack/byte-cursor.js'
import { gzipMembers } from '../../stream/unpack/gzip-members.js'
import { decideCharset } from '../charset/decide-charset.js'
import { StreamDecoder } from '../charset/stream-decoder.js'
import type { SitemapEntry, SitemapOptions } from './sitemap-entry.js'
import { SitemapReader } from './sitemap-reader.js'

export type { SitemapEntry, SitemapFault, SitemapOptions } from './sitemap-entry.js'

/** Beyond this many times `maxBytes` reading ends: no sitemap is meant to be that long, a bomb is. */
const hardLimitFactor = 10

/**
 * Reads a sitemap while it comes, in constant memory: urlset and sitemapindex in XML, RSS and Atom, plain text; gzip is unpacked whatever the
 * type says. Entries come in their order; faults go to `options.onFault`. A source that fails makes the iteration fail; a sitemap that is
 * broken gives what could be read.
 */
export async function* parseSitemap(source: AsyncIterable<Uint8Array>, options: SitemapOptions, contentType?: string): AsyncGenerator<SitemapEntry> {
  const reader = new SitemapReader(options)
  let decoder: StreamDecoder | undefined
  let sizeBytes = 0
  let isCut = false
  const cutOff = (fact: string): void => {
    isCut = true
    options.onFault?.('cut_off', fact)
  }
  if (options.isTruncated === true) cutOff('the fetch stopped before the end')
  for await (const bytes of unpacked(gathered(source), () => cutOff('the gzip data ends early or is broken'))) {
    decoder ??= decoderFor(bytes, contentType)
    const before = sizeBytes
    sizeBytes += bytes.length
    if (before <= options.maxBytes && sizeBytes > options.maxBytes) options.onFault?.('over_bytes', `more than ${options.maxBytes} bytes`)
    if (sizeBytes > options.maxBytes * hardLimitFactor) {
      cutOff(`longer than ${options.maxBytes * hardLimitFactor} bytes`)
      break
    }
    yield* reader.write(decoder.write(bytes))
  }
  if (decoder !== undefined) yield* reader.write(decoder.end())
  yield* reader.end(isCut)
}

/** The first piece holds enough to tell gzip, mark and declaration by; those after it come as they are. */
async function* gathered(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const firstBytes = 1024
  let start: Uint8Array | undefined = new Uint8Array()
  for await (const chunk of source) {
    if (start === undefined) yield* slices(chunk)
    else {
      start = Buffer.concat([start, chunk])
      if (start.length < firstBytes) continue
      yield* slices(start)
      start = undefined
    }
  }
  if (start !== undefined && start.length > 0) yield start
}

/** Pieces of at most 64 KiB, so that a source in one piece needs no more memory than one in many. */
function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536)
}

/** What is unpacked at once at most; more is unpacked as a stream. */
const atOnceBytes = 1_048_576

/** The source, or what it unpacks to if it is gzip. Packed data that is broken ends where it breaks; what stands behind it and is not packed is nothing. */
async function* unpacked(source: AsyncGenerator<Uint8Array>, onBroken: () => void): AsyncGenerator<Uint8Array> {
  const first = await source.next()
  if (first.done === true) return
  const all = withFirst(first.value, source)
  if (!(first.value[0] === 0x1f && first.value[1] === 0x8b)) {
    yield* all
    return
  }
  const cursor = new ByteCursor(all)
  let isMore = true
  let endBytes = -1
  try {
    for await (const part of gzipMembers(cursor, atOnceBytes)) {
      if (part.kind === 'bytes') {
        isMore = true
        yield* slices(part.bytes)
      } else if (part.kind === 'start') isMore = part.offsetBytes !== endBytes
      else if (part.kind === 'end') endBytes = part.endBytes
      else {
        if (isMore) onBroken()
        return
      }
    }
  } finally {
    await cursor.close()
  }
}

async function* withFirst(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/** The protocol wants UTF-8; what is something else mostly says so. */
const charsetOptions = { defaultCharset: 'windows-1252', minCharsetConfidence: 10, isXml: true }
const tagEnd = 0x3e

/** Decided by the whole tags of the first piece, whose end may cut a character. */
function decoderFor(first: Uint8Array, contentType: string | undefined): StreamDecoder {
  const start = first.subarray(0, first.lastIndexOf(tagEnd) + 1 || first.length)
  return new StreamDecoder(decideCharset(start, contentType, charsetOptions).charset)
}
