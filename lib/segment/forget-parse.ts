import { rm } from 'node:fs/promises'
import { CrawlError } from '../errors/crawl-error.js'
import { readManifest } from './manifest.js'
import { partIndexName } from './part-index.js'
import { manifestName, parts, stepsName } from './part-names.js'
import type { Segment } from './segment.js'
import { readSteps } from './steps.js'
import { writeAtomic } from './write-atomic.js'

/**
 * Takes the parse of a segment away, so that it can be parsed again with other options. A sealed segment is open again afterwards: its other
 * parts stay packed. Killed half-way it leaves a segment that is not parsed, which this finishes when called again.
 * @throws {CrawlError} SEGMENT_STATE if it is not fetched
 */
export async function forgetParse(segment: Segment): Promise<void> {
  const { parse: _, ...rest } = await readSteps(segment.folder)
  if (rest.fetch === undefined) throw new CrawlError('SEGMENT_STATE', `segment ${segment.name} is not fetched yet`)
  await writeAtomic(segment.pathOf(stepsName), `${JSON.stringify(rest)}\n`)
  if ((await readManifest(segment.folder)) !== undefined) await rm(segment.pathOf(manifestName))
  for (const name of [parts.crawlParse, parts.parseData, parts.parseText])
    for (const ending of ['', '.gz']) await rm(segment.pathOf(`${name}${ending}`), { force: true })
  await rm(segment.pathOf(partIndexName), { force: true })
}
