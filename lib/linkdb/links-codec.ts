import { crc32 } from 'node:zlib'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import { compareText } from '../stream/compare-text.js'

/** A link as the LinkDb keeps it under its source: key of the target, and anchor. A page may link to a target several times, by different anchors. */
export interface StoredLink {
  readonly to: string
  readonly anchor: string
}

/** Each target and anchor once, in the order in which they are stored. */
export function linkSet(links: Iterable<StoredLink>): StoredLink[] {
  const sorted = [...links].sort((a, b) => compareText(a.to, b.to) || compareText(a.anchor, b.anchor))
  return sorted.filter(({ to, anchor }, index) => to !== sorted[index - 1]?.to || anchor !== sorted[index - 1]?.anchor)
}

const version = 1
const headBytes = 5

/** Version byte, CRC-32 over key and text, then JSON `[[to, anchor], …]` in UTF-8. */
export function encodeLinks(key: string, links: readonly StoredLink[]): Buffer {
  const text = JSON.stringify(links.map(({ to, anchor }) => [to, anchor]))
  const bytes = Buffer.allocUnsafe(headBytes + Buffer.byteLength(text))
  bytes[0] = version
  bytes.write(text, headBytes)
  bytes.writeUInt32BE(crc32(bytes.subarray(headBytes), crc32(key)), 1)
  return bytes
}

/** Between the anchors of one source: NUL, which no anchor holds. */
const separator = '\u0000'
/** One empty anchor, since a value must not be empty (`presence` of the store). */
const noAnchor = Buffer.of(0)

/** Anchors by which one page links to another, as a value: each once, without NUL. */
export function anchorBytes(anchors: readonly string[]): Buffer {
  const text = anchors.join(separator)
  return text === '' ? noAnchor : Buffer.from(text)
}

export function anchorsOf(value: Buffer): readonly string[] {
  return value.length === 1 && value[0] === 0 ? [''] : value.toString().split(separator)
}

/** @throws {CrawlError} RECORD_VERSION or RECORD_CORRUPT */
export function decodeLinks(key: string, bytes: Buffer): StoredLink[] {
  if (bytes[0] !== version) throw new CrawlError('RECORD_VERSION', `LinkDb record ${key} has version ${bytes[0]}, this build reads ${version}`)
  if (bytes.length < headBytes || crc32(bytes.subarray(headBytes), crc32(key)) !== bytes.readUInt32BE(1)) {
    throw new CrawlError('RECORD_CORRUPT', `LinkDb record ${key} fails its CRC`)
  }
  try {
    const pairs = JSON.parse(bytes.toString('utf8', headBytes)) as [string, string][] // encodeLinks wrote it, and the CRC holds
    return pairs.map(([to, anchor]) => ({ to, anchor }))
  } catch (cause) {
    throw new CrawlError('RECORD_CORRUPT', `LinkDb record ${key}: ${messageOf(cause)}`, { cause })
  }
}
