import { CrawlError, messageOf, systemCodeOf } from '../errors/crawl-error.js'

/** Turns a failure of the file system, or of LevelDB on it, into DISK_FULL or IO_FAILED naming `place`; a CrawlError stays what it is. */
export function diskErrorOf(error: unknown, place: string): CrawlError {
  if (error instanceof CrawlError) return error
  const message = messageOf(error)
  const code = systemCodeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG' || /No space left|File too large|quota exceeded/i.test(message)) {
    return new CrawlError('DISK_FULL', `no space left for ${place}: ${message}`, { cause: error })
  }
  return new CrawlError('IO_FAILED', `${place}: ${message}`, { cause: error })
}
