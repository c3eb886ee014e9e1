import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DbConfig } from '../config/db-options.js'
import { diskErrorOf } from '../store/disk-errors.js'
import { HolderFile } from '../store/holder.js'
import { openLevel } from '../store/level-store.js'
import { LinkDb } from './link-db.js'

export interface OpenLinkDbOptions {
  /** The crawl's folder; the db is in `linkdb` below it. */
  readonly folder: string
  readonly config: DbConfig
  /** @defaultValue false */
  readonly isCreating?: boolean
}

/** Opens the LinkDb, lends it to `use`, and closes it whatever happens. @throws {CrawlError} DB_MISSING, DB_LOCKED, DB_DAMAGED */
export async function withLinkDb<T>({ folder, config, isCreating = false }: OpenLinkDbOptions, use: (linkDb: LinkDb) => Promise<T>): Promise<T> {
  const location = join(folder, 'linkdb')
  if (isCreating) await mkdir(location, { recursive: true }).catch(error => Promise.reject(diskErrorOf(error, location)))
  const options = { isCreating, writeBufferBytes: smallerShare(config.writeBufferBytes), cacheBytes: smallerShare(config.cacheBytes) }
  const level = await openLevel(location, options).catch(async error => {
    throw await new HolderFile(folder).explainLock(error)
  })
  const linkDb = new LinkDb(level)
  try {
    return await use(linkDb)
  } finally {
    await linkDb.commits.drained()
    await level.close()
  }
}

/** It is used seldom, and beside the CrawlDb. */
function smallerShare(bytes: number): number {
  return Math.ceil(bytes / 8)
}
