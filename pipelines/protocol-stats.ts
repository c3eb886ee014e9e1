import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { metadataKeys } from '../lib/record/metadata.js'

/** Records by the status that their last answer had (Nutch's ProtocolStatusStatistics), in the order of codes; those without one as `UNFETCHED`. */
export async function countByProtocolStatus(crawlDb: CrawlDb, signal?: AbortSignal): Promise<(readonly [code: string, count: number])[]> {
  const counts = new Map<string, number>()
  for await (const { metadata } of crawlDb.records()) {
    signal?.throwIfAborted()
    const code = metadata[metadataKeys.httpCode] ?? 'UNFETCHED'
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}
