import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { CrawlError } from '../errors/crawl-error.js'
import { type PartFacts, readManifest } from './manifest.js'
import { findPartPlaces, partIndexName } from './part-index.js'
import { type PartName, parts } from './part-names.js'
import { readByteBatches } from './read-lines.js'
import type { Segment } from './segment.js'

/** A URL's own lines of one part, each without its LF: one in most parts; of crawl_parse the page's, without the links. */
export interface FoundLines {
  readonly part: PartName
  readonly lines: readonly string[]
}

const unpack = promisify(gunzip)

/**
 * The lines that are keyed by a URL, part by part. In a sealed segment they are found by the index, and about a megabyte of each part is
 * unpacked; before the seal the parts are searched through.
 */
export async function findLines(segment: Segment, url: string, wanted: readonly PartName[]): Promise<readonly FoundLines[]> {
  const places = await findPartPlaces(segment.pathOf(partIndexName), url)
  const manifest = places === undefined ? undefined : await readManifest(segment.folder)
  const found: FoundLines[] = []
  for (const part of wanted) {
    const texts: string[] = []
    if (places === undefined || manifest === undefined) texts.push(...(await searchPart(segment.pathOf(part), url)))
    else
      for (const place of places.filter(candidate => candidate.part === part))
        texts.push(await readRange(segment.pathOf(part), manifest.parts[part], place.offsetBytes, place.lengthBytes))
    const lines = texts.flatMap(text => text.split('\n')).filter(line => line.startsWith(`${url}\t`) && !isLink(part, line, url))
    if (lines.length > 0) found.push({ part, lines })
  }
  return found
}

function isLink(part: PartName, line: string, url: string): boolean {
  return part === parts.crawlParse && line.startsWith('{"status":"linked"', url.length + 1)
}

/** All lines with this key, found by their bytes. */
async function searchPart(path: string, url: string): Promise<string[]> {
  const key = Buffer.from(`${url}\t`)
  const lines: string[] = []
  for await (const { bytes } of readByteBatches(path)) {
    for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) {
      if (at > 0 && bytes[at - 1] !== 10) continue
      lines.push(bytes.toString('utf8', at, bytes.indexOf(10, at)))
    }
  }
  return lines
}

/** A range of a part as it is when not packed. */
async function readRange(path: string, facts: PartFacts | undefined, offsetBytes: number, lengthBytes: number): Promise<string> {
  const blocks = facts?.blocks
  if (blocks === undefined) return (await readBytes(path, offsetBytes, lengthBytes)).toString()
  const pieces: Buffer[] = []
  let startBytes = 0
  for (const [index, [plain, packed]] of blocks.entries()) {
    const nextPlain = blocks[index + 1]?.[0] ?? facts?.bytes ?? 0
    if (nextPlain <= offsetBytes || plain >= offsetBytes + lengthBytes) continue
    if (pieces.length === 0) startBytes = plain
    const packedEnd = blocks[index + 1]?.[1] ?? facts?.packedBytes ?? packed
    pieces.push(await unpack(await readBytes(`${path}.gz`, packed, packedEnd - packed)))
  }
  return Buffer.concat(pieces).toString('utf8', offsetBytes - startBytes, offsetBytes - startBytes + lengthBytes)
}

async function readBytes(path: string, offsetBytes: number, lengthBytes: number): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const bytes = Buffer.alloc(lengthBytes)
    const { bytesRead } = await handle.read(bytes, 0, lengthBytes, offsetBytes)
    if (bytesRead < lengthBytes) throw new CrawlError('SEGMENT_CORRUPT', `${path}: ends before byte ${offsetBytes + lengthBytes}`)
    return bytes
  } finally {
    await handle.close()
  }
}
