import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { AtomicFile } from './atomic-file.js'
import type { PartFacts } from './manifest.js'
import { readByteBatches } from './read-lines.js'

const pack = promisify(gzip)
/** The parts are text that repeats itself: the fastest level makes them a tenth of their size. */
const packLevel = 1

/** A line's place in a part, as the index of the parts keeps it. */
export interface LinePlace {
  /** Undefined for a link in crawl_parse, which is found with its page. */
  readonly key: string | undefined
  readonly offsetBytes: number
  /** With its LF. */
  readonly lengthBytes: number
}

type See = (place: LinePlace) => Promise<void> | undefined

/**
 * Counts and hashes a part, shows each of its lines to `see`, and, if `isPacked`, writes it as `<path>.gz`: one gzip member for each
 * batch of lines, so that a single line can be had by unpacking about a megabyte.
 */
export async function packPart(path: string, isPacked: boolean, see: See): Promise<PartFacts> {
  const hash = createHash('sha256')
  const packed = isPacked ? await AtomicFile.open(`${path}.gz`) : undefined
  const blocks: [number, number][] = []
  let lines = 0
  let bytes = 0
  try {
    for await (const batch of readByteBatches(path)) {
      hash.update(batch.bytes)
      bytes += batch.bytes.length
      lines += await seeLines(batch.bytes, batch.offsetBytes, see)
      if (packed === undefined) continue
      blocks.push([batch.offsetBytes, packed.lengthBytes])
      await packed.write(await pack(batch.bytes, { level: packLevel }))
    }
    if (packed !== undefined && blocks.length === 0) await packed.write(await pack(Buffer.alloc(0)))
  } catch (error) {
    await packed?.discard()
    throw error
  }
  await packed?.commit()
  const facts = { lines, bytes, sha256: hash.digest('hex') }
  return packed === undefined ? facts : { ...facts, packedBytes: packed.lengthBytes, blocks }
}

const linkLead = Buffer.from('{"status":"linked"')

/** Only the keys are decoded: texts are long. */
async function seeLines(bytes: Buffer, batchBytes: number, see: See): Promise<number> {
  let lines = 0
  for (let start = 0; start < bytes.length; lines++) {
    const end = bytes.indexOf(10, start) + 1
    const tab = bytes.indexOf(9, start)
    const isLink = bytes.compare(linkLead, 0, linkLead.length, tab + 1, Math.min(end, tab + 1 + linkLead.length)) === 0
    const place = { key: isLink ? undefined : bytes.toString('utf8', start, tab), offsetBytes: batchBytes + start, lengthBytes: end - start }
    const wait = see(place)
    if (wait !== undefined) await wait
    start = end
  }
  return lines
}
