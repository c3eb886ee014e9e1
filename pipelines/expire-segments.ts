import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonObject } from '../lib/record/line-format.js'
import { captureLogName, cdxjName } from '../lib/segment/part-names.js'
import { eachLine, readLineBatches } from '../lib/segment/read-lines.js'
import { listSegments, type Segment } from '../lib/segment/segment.js'
import { segmentTimeMs } from '../lib/segment/segment-name.js'
import { LineSorter } from '../lib/segment/sort-lines.js'

export interface ExpireJob {
  readonly segmentsFolder: string
  readonly spoolFolder: string
  /** Segments named for an earlier time may go, epoch ms. */
  readonly beforeMs: number
  /** Whether the dbs have taken in what the segment holds. */
  readonly isMerged: (segment: Segment) => Promise<boolean>
  /** Lets also segments go whose pages have no newer copy. */
  readonly isForced: boolean
  /** Says what would be done, and does nothing. */
  readonly isDryRun: boolean
}

/** What became of one segment. */
export interface ExpireVerdict {
  readonly segment: string
  readonly action: 'expired' | 'kept'
  readonly reason: 'too_young' | 'not_finished' | 'not_merged' | 'newest_copy' | 'old'
  /** Pages of which this segment has the newest copy. */
  readonly newestCopies: number
}

/**
 * Removes segments that are older than wanted, were merged into the dbs, and of whose pages each has a newer copy in another segment. A revisit
 * record is no copy, and neither is an answer that says not modified. A segment is renamed before it is removed, so that a kill leaves no half.
 */
export async function expireSegments(job: ExpireJob): Promise<readonly ExpireVerdict[]> {
  await removeLeftovers(job.segmentsFolder)
  const segments = await listSegments(job.segmentsFolder)
  const newest = await countNewestCopies(segments, job.spoolFolder)
  const verdicts: ExpireVerdict[] = []
  for (const [index, segment] of segments.entries()) {
    const newestCopies = newest[index] ?? 0
    const reason = await keepReason(job, segment, newestCopies)
    verdicts.push({ segment: segment.name, action: reason === undefined ? 'expired' : 'kept', reason: reason ?? 'old', newestCopies })
    if (reason === undefined && !job.isDryRun) await remove(job.segmentsFolder, segment)
  }
  return verdicts
}

async function keepReason(job: ExpireJob, segment: Segment, newestCopies: number): Promise<ExpireVerdict['reason'] | undefined> {
  if (segmentTimeMs(segment.name) >= job.beforeMs) return 'too_young'
  const state = await segment.state()
  if (state !== 'parsed' && state !== 'sealed') return 'not_finished'
  if (!(await job.isMerged(segment))) return 'not_merged'
  return newestCopies > 0 && !job.isForced ? 'newest_copy' : undefined
}

/** For each segment, of how many pages it has the newest copy. Lines of URL and segment are sorted on disk. */
async function countNewestCopies(segments: readonly Segment[], spoolFolder: string): Promise<readonly number[]> {
  await mkdir(spoolFolder, { recursive: true })
  const sorter = new LineSorter(join(spoolFolder, `expire-${process.pid}`))
  const counts = segments.map(() => 0)
  try {
    for (const [index, segment] of segments.entries()) {
      const revisits = await revisitPlaces(segment)
      for await (const outcomes of segment.readOutcomes()) {
        for (const { url, status, content } of outcomes) {
          if (status !== 'fetch_success' || content === undefined || revisits.has(`${content.file} ${content.offsetBytes}`)) continue
          await sorter.add(`${url}\t${String(index).padStart(6, '0')}`)
        }
      }
    }
    let last: readonly [url: string, index: number] | undefined
    const count = (): void => {
      if (last !== undefined) counts[last[1]] = (counts[last[1]] ?? 0) + 1
    }
    for await (const lines of sorter.sorted()) {
      for (const line of lines) {
        const tab = line.indexOf('\t')
        const url = line.slice(0, tab)
        if (last?.[0] !== url) count()
        last = [url, Number(line.slice(tab + 1))]
      }
    }
    count()
  } finally {
    await sorter.discard()
  }
  return counts
}

/** Where revisit records stand: file and offset. */
async function revisitPlaces(segment: Segment): Promise<ReadonlySet<string>> {
  const places = new Set<string>()
  for (const name of [cdxjName, captureLogName])
    for await (const { text } of readLineBatches(segment.pathOf(name)))
      eachLine(text, line => {
        if (!line.includes('"mime":"warc/revisit"')) return
        const { filename, offset } = parseJsonObject(line.slice(line.indexOf('{')))
        places.add(`${filename} ${offset}`)
      })
  return places
}

const leftover = /^\.expired-\d{14}$/

async function remove(folder: string, segment: Segment): Promise<void> {
  const doomed = join(folder, `.expired-${segment.name}`)
  await rename(segment.folder, doomed)
  await rm(doomed, { recursive: true, force: true })
}

async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) if (leftover.test(name)) await rm(join(folder, name), { recursive: true, force: true })
}
