import { rm } from 'node:fs/promises'
import { CrawlError } from '../errors/crawl-error.js'
import type { CaptureFields } from '../record/encoded-records.js'
import { hashFile } from '../store/hash-file.js'
import { sideBySide } from '../stream/side-by-side.js'
import { AtomicFile } from './atomic-file.js'
import { captureLogHead, formatCapture } from './capture-log.js'
import { type ContentFacts, type Manifest, manifestFormat, type PartFacts, readManifest } from './manifest.js'
import { packPart } from './pack-part.js'
import { PartIndexWriter, partIndexName } from './part-index.js'
import { captureLogName, cdxjName, manifestName, partNames, stepsName } from './part-names.js'
import { eachLine, readLineBatches } from './read-lines.js'
import type { Segment } from './segment.js'
import { LineSorter } from './sort-lines.js'
import { writeAtomic } from './write-atomic.js'

/** A capture in a content file, as it is found by reading the file. */
export interface FoundCapture {
  readonly capture: CaptureFields
  readonly offsetBytes: number
  readonly lengthBytes: number
}

export interface SealOptions {
  readonly nowMs: number
  /** Reads the captures of a content file: for segments whose capture log was lost. */
  readonly findCaptures: (path: string) => AsyncIterable<FoundCapture>
  /** Whether the NDJSON parts are compressed. @defaultValue true */
  readonly compresses?: boolean
}

/**
 * Makes a fetched segment what it stays: captures sorted, parts compressed, an index of the parts, and last, by rename, the manifest with
 * counts and digests. Can be killed anywhere and run again; a sealed segment is left as it is.
 * @throws {CrawlError} SEGMENT_STATE if the fetch is not done
 */
export async function sealSegment(segment: Segment, options: SealOptions): Promise<Manifest> {
  const manifest = (await readManifest(segment.folder)) ?? (await seal(segment, options))
  const replaced = partNames.filter(name => manifest.parts[name]?.packedBytes !== undefined)
  for (const name of [...replaced, captureLogName, stepsName]) await rm(segment.pathOf(name), { force: true })
  return manifest
}

/** One is compressed while another is read and hashed; more would keep the threads that LevelDB works on. */
const partsAtOnce = 2

async function seal(segment: Segment, { nowMs, findCaptures, compresses = true }: SealOptions): Promise<Manifest> {
  const steps = await segment.steps()
  if (steps.fetch === undefined) throw new CrawlError('SEGMENT_STATE', `segment ${segment.name} is not fetched yet`)
  const captures = await writeCaptures(segment, findCaptures)
  const parts: Record<string, PartFacts> = {}
  const index = new PartIndexWriter(segment.pathOf(partIndexName))
  try {
    const facts = await sideBySide(
      partNames,
      async name => ((await segment.hasPart(name)) ? packPart(segment.pathOf(name), compresses, place => index.add(name, place)) : undefined),
      partsAtOnce,
    )
    for (const [number, name] of partNames.entries()) if (facts[number] !== undefined) parts[name] = facts[number]
    await index.commit()
  } finally {
    await index.discard()
  }
  const content: ContentFacts[] = []
  for (const file of await segment.warcNames()) content.push({ file, ...(await hashFile(segment.pathOf(file))) })
  const manifest: Manifest = { format: manifestFormat, name: segment.name, sealedMs: nowMs, steps, captures, content, parts }
  await writeAtomic(segment.pathOf(manifestName), `${JSON.stringify(manifest)}\n`)
  return manifest
}

/** Sorts the capture log, or what the content files hold if the log is not whole. @returns the number of captures */
async function writeCaptures(segment: Segment, findCaptures: SealOptions['findCaptures']): Promise<number> {
  const path = segment.pathOf(cdxjName)
  const sorter = new LineSorter(path)
  const file = await AtomicFile.open(path)
  let captures = 0
  try {
    for await (const line of (await isLogWhole(segment)) ? logLines(segment) : foundLines(segment, findCaptures)) await sorter.add(line)
    for await (const lines of sorter.sorted()) {
      captures += lines.length
      if (lines.length > 0) await file.write(`${lines.join('\n')}\n`)
    }
  } catch (error) {
    await Promise.all([file.discard(), sorter.discard()])
    throw error
  }
  await file.commit()
  return captures
}

async function isLogWhole(segment: Segment): Promise<boolean> {
  for await (const { text } of readLineBatches(segment.pathOf(captureLogName))) return text.startsWith(`${captureLogHead}\n`)
  return (await segment.warcNames()).length === 0
}

async function* logLines(segment: Segment): AsyncGenerator<string> {
  for await (const { text } of readLineBatches(segment.pathOf(captureLogName))) {
    const lines: string[] = []
    eachLine(text, line => lines.push(line))
    for (const line of lines) if (line !== captureLogHead) yield line
  }
}

async function* foundLines(segment: Segment, findCaptures: SealOptions['findCaptures']): AsyncGenerator<string> {
  for (const name of await segment.warcNames())
    for await (const { capture, offsetBytes, lengthBytes } of findCaptures(segment.pathOf(name)))
      yield formatCapture(capture, name, offsetBytes, lengthBytes).slice(0, -1)
}
