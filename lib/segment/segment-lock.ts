import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'
import { diskErrorOf } from '../store/disk-errors.js'

/**
 * Keeps a segment to one process while that writes to it: of two that fetch or parse one list at once, each would write over what the other has
 * written. It stands in the folder's spool and is LevelDB's, so that the system takes it away with the process, however that ends.
 */
export class SegmentLock {
  private constructor(
    readonly path: string,
    readonly level: ClassicLevel,
  ) {}

  /** @throws {CrawlError} SEGMENT_LOCKED if a process holds it, this one included; DISK_FULL, IO_FAILED */
  static async take(spoolFolder: string, segmentName: string): Promise<SegmentLock> {
    const path = join(spoolFolder, `segment-${segmentName}.lock`)
    try {
      return new SegmentLock(path, await openLock(path))
    } catch (error) {
      if (!isHeld(error)) throw diskErrorOf(error, path)
      throw new CrawlError('SEGMENT_LOCKED', `segment ${segmentName} is being worked on by another process`, { cause: error })
    }
  }

  /** Takes it for as long as `work` lasts. */
  static async hold<T>(spoolFolder: string, segmentName: string, work: () => Promise<T>): Promise<T> {
    const lock = await SegmentLock.take(spoolFolder, segmentName)
    try {
      return await work()
    } finally {
      await lock.release()
    }
  }

  /** Whether a process holds it now. */
  static async isTaken(spoolFolder: string, segmentName: string): Promise<boolean> {
    try {
      await (await SegmentLock.take(spoolFolder, segmentName)).release()
      return false
    } catch (error) {
      if (error instanceof CrawlError && error.code === 'SEGMENT_LOCKED') return true
      throw error
    }
  }

  /** Removed before it is given up: what another process has taken meanwhile is then never removed. */
  async release(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
    await this.level.close()
  }
}

/** What does not open although nobody holds it is a torn leftover. */
async function openLock(path: string): Promise<ClassicLevel> {
  try {
    return await openLevelAt(path)
  } catch (error) {
    if (isHeld(error)) throw error
    await rm(path, { recursive: true, force: true })
    return openLevelAt(path)
  }
}

async function openLevelAt(path: string): Promise<ClassicLevel> {
  const level = new ClassicLevel(path)
  await level.open({ writeBufferSize: 65_536, cacheSize: 0 })
  return level
}

function isHeld(error: unknown): boolean {
  return systemCodeOf(error instanceof Error ? error.cause : undefined) === 'LEVEL_LOCKED'
}
