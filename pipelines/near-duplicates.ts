import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { type DedupGroup, dedupGroupOf } from '../lib/crawldb/rules/dedup-groups.js'
import { compareDuplicates, type DedupCandidate, type DedupCriterion, isDedupStatus } from '../lib/crawldb/rules/dedup-rule.js'
import { type NearDuplicate, nearDuplicates } from '../lib/crawldb/rules/near-duplicates.js'
import { tableRange, tables } from '../lib/crawldb/tables.js'
import { addToList } from '../lib/stream/add-to-list.js'

export interface NearDuplicatesOptions {
  /** Bits in which the SimHashes of two pages may differ, 0…15. */
  readonly distance: number
  readonly group: DedupGroup
  /** What puts the page that is to be kept first in its cluster. */
  readonly order: readonly DedupCriterion[]
  readonly signal?: AbortSignal | undefined
}

/** A page with its SimHash as `db.signature.class=SimHash` makes it. */
interface HashedPage {
  readonly page: DedupCandidate
  readonly simHash: Uint8Array
}

const simHashBytes = 8
/** Length of 8 bytes as base64url, in keys of the signature index. */
const simHashChars = 11

/** Clusters of pages whose content is nearly the same, by the SimHashes in the signature index; the largest first. Undefined if there is no SimHash at all. */
export async function findNearDuplicates(crawlDb: CrawlDb, options: NearDuplicatesOptions): Promise<NearDuplicate<DedupCandidate>[][] | undefined> {
  const { distance, group, order, signal } = options
  const byGroup = new Map<string, HashedPage[]>()
  for await (const page of hashedPages(crawlDb, signal)) {
    const name = dedupGroupOf(page.page.url, group)
    addToList(byGroup, name, page)
  }
  if (byGroup.size === 0) return undefined
  const clusters: NearDuplicate<DedupCandidate>[][] = []
  for (const pages of byGroup.values()) {
    pages.sort((a, b) => compareDuplicates(a.page, b.page, order) || (a.page.url < b.page.url ? -1 : 1))
    clusters.push(...nearDuplicates(pages, distance))
  }
  return clusters.sort((a, b) => b.length - a.length || (firstUrl(a) < firstUrl(b) ? -1 : 1))
}

function firstUrl(cluster: readonly NearDuplicate<DedupCandidate>[]): string {
  return cluster[0]?.page.url ?? ''
}

async function* hashedPages(crawlDb: CrawlDb, signal: AbortSignal | undefined): AsyncGenerator<HashedPage> {
  const iterator = crawlDb.level.keys({ ...tableRange(tables.signature), fillCache: false })
  try {
    for (let entries = await iterator.nextv(1000); entries.length > 0; entries = await iterator.nextv(1000)) {
      signal?.throwIfAborted()
      const keys = entries.flatMap(entry => {
        const cut = entry.indexOf('!', tables.signature.length)
        return cut - tables.signature.length === simHashChars ? [entry.slice(cut + 1)] : []
      })
      for (const datum of await crawlDb.readMany(keys)) {
        if (datum?.signature?.length !== simHashBytes || !isDedupStatus(datum.status)) continue
        yield { page: { url: datum.url, score: datum.score, fetchTimeMs: datum.fetchTimeMs }, simHash: datum.signature }
      }
    }
  } finally {
    await iterator.close()
  }
}
