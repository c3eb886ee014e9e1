import type { DbDatum } from '../../record/records.js'
import { lastFetchTimeMs } from '../../schedule/bounds.js'

/**
 * One record of those that several CrawlDbs have of one URL (Nutch's CrawlDbMerger): the one fetched last, of equals the one due last, of
 * equals the first. Its metadata lies on top of the others', newer over older. Undefined if there is none.
 */
export function reduceMerge(records: readonly DbDatum[]): DbDatum | undefined {
  const [newest, ...older] = [...records].sort((a, b) => lastFetchTimeMs(b) - lastFetchTimeMs(a) || b.fetchTimeMs - a.fetchTimeMs)
  if (newest === undefined || older.length === 0) return newest
  const metadata: Record<string, string> = {}
  for (const { metadata: lower } of older.reverse()) Object.assign(metadata, lower)
  return { ...newest, metadata: Object.assign(metadata, newest.metadata) }
}
