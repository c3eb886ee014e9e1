import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { CrawlError } from '../errors/crawl-error.js'

export const socketName = 'control.sock'
/** Of `sun_path`, on the systems that have the shortest, without the ending zero. */
const maxPathBytes = 103

/** Hands `use` a path of `DIR/control.sock` that is short enough for a socket; on Linux any folder has one. @throws {CrawlError} CONTROL_FAILED */
export async function withSocketPath<T>(folder: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, socketName)
  if (Buffer.byteLength(path) <= maxPathBytes) return use(path)
  if (process.platform !== 'linux') throw new CrawlError('CONTROL_FAILED', `${path} is too long for a socket`)
  let handle: FileHandle | undefined
  try {
    handle = await open(folder, 'r')
    return await use(`/proc/self/fd/${handle.fd}/${socketName}`)
  } finally {
    await handle?.close()
  }
}
