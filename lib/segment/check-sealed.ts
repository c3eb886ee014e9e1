import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import { hashFile } from '../store/hash-file.js'
import { readManifest } from './manifest.js'
import { partNames } from './part-names.js'
import { readByteBatches } from './read-lines.js'
import type { Segment } from './segment.js'

/** What in a sealed segment is not as its manifest says, in words; nothing if all sizes and digests agree. Reads every byte. */
export async function* checkSealed(segment: Segment): AsyncGenerator<string> {
  const manifest = await readManifest(segment.folder)
  if (manifest === undefined) throw new CrawlError('SEGMENT_STATE', `segment ${segment.name} is not sealed`)
  for (const { file, bytes, sha256 } of manifest.content) {
    const fault = await faultOfFile(segment.pathOf(file), bytes, sha256)
    if (fault !== undefined) yield `${file}: ${fault}`
  }
  for (const name of partNames) {
    const facts = manifest.parts[name]
    const fault = facts === undefined ? undefined : await faultOfPart(segment.pathOf(name), facts.bytes, facts.sha256)
    if (fault !== undefined) yield `${name}: ${fault}`
  }
}

async function faultOfFile(path: string, bytes: number, sha256: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    if (size !== bytes) return `has ${size} bytes, ${bytes} were sealed`
    return (await hashFile(path)).sha256 === sha256 ? undefined : 'its digest is not the one that was sealed'
  } catch (error) {
    return messageOf(error)
  }
}

async function faultOfPart(path: string, bytes: number, sha256: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  let read = 0
  try {
    for await (const batch of readByteBatches(path)) {
      hash.update(batch.bytes)
      read += batch.bytes.length
    }
  } catch (error) {
    return messageOf(error)
  }
  if (read !== bytes) return `has ${read} bytes, ${bytes} were sealed`
  return hash.digest('hex') === sha256 ? undefined : 'its digest is not the one that was sealed'
}
