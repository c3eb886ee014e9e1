import { readdir, rm, stat } from 'node:fs/promises'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import type { ContentRef } from '../../lib/record/records.js'
import { checkSealed } from '../../lib/segment/check-sealed.js'
import { readLinesBackward } from '../../lib/segment/lines-backward.js'
import { partNames, parts } from '../../lib/segment/part-names.js'
import { recoverFetch } from '../../lib/segment/recover-fetch.js'
import { listSegments, type Segment, type SegmentState } from '../../lib/segment/segment.js'
import type { JobContext } from '../job.js'
import type { Report } from './ailment.js'
import { checkManifest } from './manifest-repair.js'

/** Checks each segment: sealed ones by their manifest, the others line by line; torn ends of a fetch under way can be cut. */
export async function checkSegments(context: JobContext, report: Report): Promise<void> {
  for (const segment of await listSegments(context.folder.segments)) {
    try {
      if (await checkManifest(context, segment, report)) continue
      const state = await segment.state()
      if (state === 'sealed') await checkBySeal(segment, report)
      else if (state === 'empty') await reportEmpty(segment, report)
      else await checkByLines(segment, state, report)
    } catch (error) {
      if (!(error instanceof CrawlError)) throw error
      await report({ part: 'segment', name: segment.name, problem: error.message })
    }
  }
}

async function checkBySeal(segment: Segment, report: Report): Promise<void> {
  for await (const problem of checkSealed(segment)) await report({ part: 'segment', name: segment.name, problem })
}

/** A segment without a list is what a killed generate leaves; one whose list is about to get its name belongs to the job under way. */
async function reportEmpty(segment: Segment, report: Report): Promise<void> {
  const names = await readdir(segment.folder)
  if (names.includes(`${parts.fetchList}.tmp`)) return
  const repair = (): Promise<void> => rm(segment.folder, { recursive: true, force: true })
  await report({ part: 'segment', name: segment.name, problem: 'holds nothing', isNote: true, remedy: 'remove it', repair })
}

async function checkByLines(segment: Segment, state: SegmentState, report: Report): Promise<void> {
  const isOpen = state === 'generated' || state === 'fetching'
  for (const part of partNames) {
    if (!(await hasTornEnd(segment.pathOf(part)))) continue
    const isCut = isOpen && part === parts.outcomes
    await report({
      part: 'segment',
      name: segment.name,
      problem: `${part} ends in the middle of a line; what is whole counts`,
      isNote: isOpen || part !== parts.outcomes,
      ...(isCut ? { remedy: 'cut what is not committed', repair: () => recoverFetch(segment).then(() => undefined) } : {}),
    })
  }
  for await (const items of segment.readFetchList()) items.at(0) // decodes each line, or throws naming the one that does not read
  const lost = await countLostContent(segment)
  if (lost === 0) return
  await report({
    part: 'segment',
    name: segment.name,
    problem: `${lost} outcomes name content that is not there`,
    ...(isOpen
      ? { remedy: 'take these outcomes back, so that they are fetched again', repair: () => recoverFetch(segment).then(() => undefined) }
      : {}),
  })
}

async function hasTornEnd(path: string): Promise<boolean> {
  const size = await sizeOf(path)
  if (size === 0) return false
  for await (const { endBytes } of readLinesBackward(path)) return endBytes < size
  return true
}

/** Outcomes whose records lie beyond the end of their content file. */
async function countLostContent(segment: Segment): Promise<number> {
  const sizes = new Map<string, number>()
  const isThere = async ({ file, offsetBytes, lengthBytes }: ContentRef): Promise<boolean> => {
    const size = sizes.get(file) ?? (await sizeOf(segment.pathOf(file)))
    sizes.set(file, size)
    return offsetBytes + lengthBytes <= size
  }
  let lost = 0
  for await (const outcomes of segment.readOutcomes()) {
    for (const { content } of outcomes) if (content !== undefined && !(await isThere(content))) lost++
  }
  return lost
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0, // not there
  )
}
