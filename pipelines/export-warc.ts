import { join } from 'node:path'
import type { Counters } from '../lib/log/counters.js'
import { AtomicFile } from '../lib/segment/atomic-file.js'
import { formatCapture } from '../lib/segment/capture-log.js'
import type { Segment } from '../lib/segment/segment.js'
import { LineSorter } from '../lib/segment/sort-lines.js'
import { readCaptureGroups } from '../lib/warc/capture-groups.js'
import { encodeGroup } from '../lib/warc/encode-group.js'
import { RepeatedCaptures } from '../lib/warc/repeated-captures.js'
import { timestamp14 } from '../lib/warc/warc-header.js'
import { type WarcSetFile, type WarcSetOptions, WarcSetWriter } from '../lib/warc/warc-set-writer.js'
import { type CaptureFacts, factsOfRecord } from './capture-choice.js'

export interface ExportJob {
  readonly segments: readonly Segment[]
  readonly set: Omit<WarcSetOptions, 'onRecord' | 'extension'>
  readonly matches: (facts: CaptureFacts) => boolean
  readonly counters: Counters
  readonly gzipLevel?: number
  /** Whether a capture that repeats an earlier one of its URL in the set becomes a revisit record. @defaultValue false */
  readonly writesRevisits?: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Copies the captures that match, with their requests and metadata, from the segments into one set of WARC files (Nutch's WARCExporter), and
 * writes a CDXJ index of the set beside it.
 */
export async function exportWarc({
  segments,
  set,
  matches,
  counters,
  gzipLevel,
  writesRevisits = false,
  signal,
}: ExportJob): Promise<readonly WarcSetFile[]> {
  const indexPath = join(set.folder, `${set.prefix}-${timestamp14(set.nowMs)}.cdxj`)
  const index = new LineSorter(indexPath)
  const repeated = writesRevisits ? new RepeatedCaptures() : undefined
  const writer = new WarcSetWriter({
    ...set,
    onRecord: ({ capture, lengthBytes }, file, offsetBytes) =>
      capture === undefined ? undefined : index.add(formatCapture(capture, file, offsetBytes, lengthBytes).slice(0, -1)),
  })
  try {
    for (const segment of segments) {
      for (const name of await segment.warcNames()) {
        const groups = readCaptureGroups(segment.pathOf(name), { signal, onLeftOut: ({ reason }) => counters.add(`export/${reason}`) })
        for await (const group of groups) {
          const isWanted = matches(factsOfRecord(group.capture))
          counters.add(isWanted ? 'export/captures' : 'export/not_wanted')
          if (isWanted) await writer.write(encodeGroup(repeated?.take(group) ?? group, gzipLevel))
        }
      }
    }
    await writer.close()
    if (writer.files.length > 0) await writeIndex(indexPath, index)
  } finally {
    await index.discard()
  }
  return writer.files
}

async function writeIndex(path: string, index: LineSorter): Promise<void> {
  const file = await AtomicFile.open(path)
  try {
    for await (const lines of index.sorted()) if (lines.length > 0) await file.write(`${lines.join('\n')}\n`)
  } catch (error) {
    await file.discard()
    throw error
  }
  await file.commit()
}
