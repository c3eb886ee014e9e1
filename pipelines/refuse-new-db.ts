import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CrawlError } from '../lib/errors/crawl-error.js'
import { listSegments } from '../lib/segment/segment.js'
import type { CrawlFolder } from './crawl-folder.js'

/**
 * A sealed segment was merged into a CrawlDb: where that is gone, seeds must not begin a new one in its place without a word.
 * @throws {CrawlError} DB_MISSING
 */
export async function refuseNewDbBesideSegments({ root, segments }: CrawlFolder): Promise<void> {
  const files = await readdir(join(root, 'crawldb')).catch(() => [])
  if (files.length > 0 || (await isThere(join(root, 'crawldb.seal')))) return // what is there is looked at when it is opened
  for (const segment of await listSegments(segments)) {
    if ((await segment.state()) !== 'sealed') continue
    const ways = `millrace doctor ${root} --repair builds it from the segments; move them away to begin a new one`
    throw new CrawlError('DB_MISSING', `there is no CrawlDb in ${root}, but segment ${segment.name} was merged into one: ${ways}`)
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
