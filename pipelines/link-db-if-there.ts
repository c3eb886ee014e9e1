import { setTimeout as sleep } from 'node:timers/promises'
import { isCrawlError } from '../lib/errors/crawl-error.js'
import type { LinkDb } from '../lib/linkdb/link-db.js'
import { withLinkDb } from '../lib/linkdb/open.js'
import type { JobContext } from './job.js'

/** A running crawl has the LinkDb open now and then, while it takes a segment in. */
const pauseMs = 100
const longestWaitMs = 120_000

/**
 * Lends the LinkDb, or nothing where there is none yet. Inside a running crawl it waits until the crawl has it open no more.
 * @throws {CrawlError} DB_LOCKED if another process has it open, or the crawl for longer than two minutes
 */
export async function withLinkDbIfThere<T>(
  { folder, config, log, heldDb, signal }: JobContext,
  use: (linkDb: LinkDb | undefined) => Promise<T>,
): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    let isOpen = false
    try {
      return await withLinkDb({ folder: folder.root, config: config.db }, linkDb => {
        isOpen = true
        return use(linkDb)
      })
    } catch (error) {
      if (isOpen) throw error
      if (isCrawlError(error, 'DB_MISSING')) break
      if (!isCrawlError(error, 'DB_LOCKED') || heldDb === undefined || waitedMs >= longestWaitMs) throw error
      await sleep(pauseMs, undefined, signal === undefined ? {} : { signal })
    }
  }
  log.info({}, 'no LinkDb: documents have no anchors; invertlinks makes one')
  return use(undefined)
}
