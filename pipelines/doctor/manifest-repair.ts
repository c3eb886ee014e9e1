import { readdir, rename, stat } from 'node:fs/promises'
import { messageOf } from '../../lib/errors/crawl-error.js'
import { readManifest } from '../../lib/segment/manifest.js'
import { manifestName, parts, stepsName } from '../../lib/segment/part-names.js'
import { eachLine } from '../../lib/segment/read-lines.js'
import type { Segment } from '../../lib/segment/segment.js'
import type { JobContext } from '../job.js'
import { seal } from '../seal.js'
import type { Report } from './ailment.js'

/** Reports a segment that was sealed, by its packed parts, and whose manifest is gone or does not read. @returns whether that is so */
export async function checkManifest(context: JobContext, segment: Segment, report: Report): Promise<boolean> {
  const names = await readdir(segment.folder)
  const problem = names.includes(manifestName) ? await faultOf(segment) : names.includes(stepsName) ? undefined : 'is gone'
  if (problem === undefined || !names.includes(`${parts.outcomes}.gz`)) return false
  const remedy = 'make it anew from the parts, which are read whole'
  await report({ part: 'segment', name: segment.name, problem: `${manifestName} ${problem}`, remedy, repair: () => makeAnew(context, segment) })
  return true
}

function faultOf(segment: Segment): Promise<string | undefined> {
  return readManifest(segment.folder).then(
    () => undefined,
    error => `does not read: ${messageOf(error)}`,
  )
}

/** Every step of a sealed segment was done; when, its outcomes' file tells. What does not read is kept beside the new one. */
async function makeAnew(context: JobContext, segment: Segment): Promise<void> {
  const path = segment.pathOf(manifestName)
  await rename(path, `${path}.damaged`).catch(() => undefined) // it may be gone
  const timeMs = Math.round((await stat(`${segment.pathOf(parts.outcomes)}.gz`)).mtimeMs)
  let pages = 0
  for await (const { text } of segment.readLines(parts.outcomes)) eachLine(text, () => pages++)
  await segment.recordStep('fetch', { pages, timeMs })
  if (await segment.hasPart(parts.crawlParse)) await segment.recordStep('parse', { pages, timeMs })
  await seal(context, segment)
}
