import { open, rm, stat, truncate } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { systemCodeOf } from '../errors/crawl-error.js'
import type { ContentRef } from '../record/records.js'
import { captureFileAndEnd, captureLogHead } from './capture-log.js'
import { type CommitMark, committedOutcomeOf } from './commit-mark.js'
import { readLinesBackward } from './lines-backward.js'
import { captureLogName, parts, warcNumber } from './part-names.js'
import { openIfThere } from './read-lines.js'
import type { Segment } from './segment.js'

/** What recovery found and cut. */
export interface RecoveredFetch {
  /** Number of the content file to go on in: always a new one. */
  readonly nextWarcNumber: number
  /** How far the content files are committed; none if no outcome has content. */
  readonly mark?: CommitMark
  /** Bytes cut from outcomes and from content files that no outcome commits. */
  readonly cutBytes: number
  /** Whether the capture log holds all that is committed. */
  readonly isCaptureLogWhole: boolean
}

interface LastCommit {
  readonly outcomesEndBytes: number
  readonly mark?: CommitMark
}

/**
 * Brings the files of a fetch that was killed back to its last committed outcome. An outcome counts if its line is whole and the content
 * it names is there: the file reaches as far, and the last gzip member unpacks. Outcome lines behind that one are cut, content files are cut
 * behind it, and those that hold nothing committed are removed.
 */
export async function recoverFetch(segment: Segment): Promise<RecoveredFetch> {
  const { outcomesEndBytes, mark } = await findLastCommit(segment)
  let cutBytes = await cut(segment.pathOf(parts.outcomes), outcomesEndBytes)
  const names = await segment.warcNames()
  const committedNumber = mark === undefined ? -1 : (warcNumber(mark.file) ?? -1)
  let nextWarcNumber = 0
  for (const name of names) {
    const number = warcNumber(name) ?? 0
    const keepBytes = number < committedNumber ? Number.POSITIVE_INFINITY : number === committedNumber ? (mark?.endBytes ?? 0) : 0
    cutBytes += await cut(segment.pathOf(name), keepBytes)
    if (keepBytes > 0) nextWarcNumber = number + 1
  }
  const isCaptureLogWhole = await recoverCaptureLog(segment.pathOf(captureLogName), mark)
  return { nextWarcNumber, cutBytes, isCaptureLogWhole, ...(mark === undefined ? {} : { mark }) }
}

/** The number of the last usable outcome's end; walks back over outcomes whose content was lost. */
async function findLastCommit(segment: Segment): Promise<LastCommit> {
  const sizes = new Map<string, number>()
  let candidate: LastCommit | undefined
  for await (const { text, endBytes } of readLinesBackward(segment.pathOf(parts.outcomes))) {
    const outcome = committedOutcomeOf(text)
    const { commit, content } = outcome ?? {}
    if (outcome === undefined || (commit !== undefined && (await sizeOf(segment, commit.file, sizes)) < commit.endBytes)) {
      candidate = undefined
      continue
    }
    candidate ??= { outcomesEndBytes: endBytes, ...(commit === undefined ? {} : { mark: commit }) }
    if (content === undefined && commit !== undefined) continue
    if (content === undefined || (await isWholeMember(segment.pathOf(content.file), content))) return candidate
    candidate = undefined
  }
  return candidate ?? { outcomesEndBytes: 0 }
}

async function sizeOf(segment: Segment, name: string, known: Map<string, number>): Promise<number> {
  const size = known.get(name) ?? (await sizeIfThere(segment.pathOf(name)))
  known.set(name, size)
  return size
}

async function sizeIfThere(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return 0
    throw error
  }
}

async function isWholeMember(path: string, { offsetBytes, lengthBytes }: ContentRef): Promise<boolean> {
  const handle = await openIfThere(path)
  if (handle === undefined) return false
  try {
    const member = Buffer.alloc(lengthBytes)
    const { bytesRead } = await handle.read(member, 0, lengthBytes, offsetBytes)
    if (bytesRead < lengthBytes) return false
    await promisify(gunzip)(member)
    return true
  } catch (error) {
    if (systemCodeOf(error)?.startsWith('Z_') === true) return false
    throw error
  } finally {
    await handle.close()
  }
}

/** Cuts a file behind `keepBytes`, removes it where nothing is left. @returns the bytes cut */
async function cut(path: string, keepBytes: number): Promise<number> {
  const size = await sizeIfThere(path)
  if (size <= keepBytes && size > 0) return 0
  if (keepBytes === 0) await rm(path, { force: true })
  else if (size > 0) await truncate(path, keepBytes)
  return Math.max(0, size - keepBytes)
}

/** Cuts captures behind the commit; removes the log if captures before it are missing. @returns whether all before it are there */
async function recoverCaptureLog(path: string, mark: CommitMark | undefined): Promise<boolean> {
  const number = mark === undefined ? undefined : (warcNumber(mark.file) ?? 0)
  for await (const { text, endBytes } of readLinesBackward(path)) {
    const place = captureFileAndEnd(text)
    if (place === undefined || mark === undefined || number === undefined) continue
    if (place.number > number || (place.number === number && place.endBytes > mark.endBytes)) continue
    if (place.number < number || place.endBytes < mark.endBytes) break
    await truncate(path, endBytes)
    return startsWhole(path)
  }
  await rm(path, { force: true })
  return mark === undefined
}

/** Each append ends with a capture, so a log that was lost in part shows by its last line, and one begun anew by its first. */
async function startsWhole(path: string): Promise<boolean> {
  const handle = await open(path, 'r')
  try {
    const head = Buffer.alloc(captureLogHead.length)
    await handle.read(head, 0, head.length, 0)
    return head.toString() === captureLogHead
  } finally {
    await handle.close()
  }
}
