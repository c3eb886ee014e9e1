import type { DbStatus } from '../record/status.js'
import { type Change, presence, writeChanges } from '../store/level-store.js'
import type { CrawlDb } from './crawl-db.js'
import { decodeDatum } from './datum-codec.js'
import { HeadChanges } from './head-changes.js'
import { recountHosts } from './host-table.js'
import { indexKeyOf, placeOf, signatureKeyOf } from './place.js'
import { tableRange, tables } from './tables.js'

const indexTables = [tables.wait, tables.due, tables.heads, tables.headof, tables.signature]

/** Makes all indexes and counts anew from the values: a scan of the db. Until it has ended the state holds no valid fingerprint, so a killed
 *  rebuild begins again at the next open. */
export async function rebuildIndexes(crawlDb: CrawlDb, sortFingerprint: string): Promise<void> {
  await crawlDb.commits.run(async () => {
    await crawlDb.commit([], [], true, { sortFingerprint: '' })
    for (const table of indexTables) await crawlDb.level.clear(tableRange(table))
    const byStatus: Partial<Record<DbStatus, number>> = {}
    for await (const batch of crawlDb.scan()) {
      await writeChanges(crawlDb.level, await indexChangesOf(crawlDb, batch, byStatus))
    }
    if (crawlDb.state.keepsHosts === true) await recountHosts(crawlDb.level)
    await crawlDb.commit([], [], true, { sortFingerprint, byStatus })
  })
}

async function indexChangesOf(
  crawlDb: CrawlDb,
  batch: readonly (readonly [key: string, bytes: Buffer])[],
  byStatus: Partial<Record<DbStatus, number>>,
): Promise<Change[]> {
  const heads = new HeadChanges(crawlDb.level)
  const changes: Change[] = []
  for (const [key, bytes] of batch) {
    const datum = decodeDatum(key, bytes)
    byStatus[datum.status] = (byStatus[datum.status] ?? 0) + 1
    const place = placeOf(key, datum, crawlDb.state.waterMark, crawlDb.sortValueOf)
    changes.push({ key: indexKeyOf(key, place), value: presence })
    if (place.bucket !== undefined) heads.added(key, place.bucket)
    const signature = signatureKeyOf(key, datum)
    if (signature !== undefined) changes.push({ key: signature, value: presence })
  }
  heads.read()
  return [...changes, ...(await heads.finish(new Map())).changes]
}
