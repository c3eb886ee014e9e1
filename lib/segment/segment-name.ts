import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'
import { diskErrorOf } from '../store/disk-errors.js'

/** `YYYYMMDDHHMMSS` of a time, UTC. */
export function segmentNameOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\D/g, '').slice(0, 14)
}

export function isSegmentName(name: string): boolean {
  return /^\d{14}$/.test(name)
}

/** The time a segment is named for, epoch ms. */
export function segmentTimeMs(name: string): number {
  const part = (from: number, to: number): number => Number(name.slice(from, to))
  return Date.UTC(part(0, 4), part(4, 6) - 1, part(6, 8), part(8, 10), part(10, 12), part(12, 14))
}

/**
 * Makes the folder of a new segment: named for `nowMs`, or for the next second whose name is free. mkdir decides, so two processes never
 * get the same one. @returns the name
 */
export async function createSegmentFolder(segmentsFolder: string, nowMs: number): Promise<string> {
  await mkdir(segmentsFolder, { recursive: true })
  for (let tries = 0; tries < 100_000; tries++) {
    const name = segmentNameOf(nowMs + tries * 1000)
    try {
      await mkdir(join(segmentsFolder, name))
      return name
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw diskErrorOf(error, join(segmentsFolder, name))
    }
  }
  throw new CrawlError('IO_FAILED', `${segmentsFolder}: no free segment name near ${segmentNameOf(nowMs)}`)
}
