import { join } from 'node:path'

/** Where the parts of a crawl stand in its folder. */
export interface CrawlFolder {
  readonly root: string
  readonly segments: string
  readonly spool: string
}

export function crawlFolder(root: string): CrawlFolder {
  return { root, segments: join(root, 'segments'), spool: join(root, 'spool') }
}
