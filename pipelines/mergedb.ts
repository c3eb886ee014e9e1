import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { decodeDatum } from '../lib/crawldb/datum-codec.js'
import { unlockDatum } from '../lib/crawldb/lock.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import { reduceMerge } from '../lib/crawldb/rules/merge-rule.js'
import { datumToJson, dbDatumFromJson } from '../lib/record/datum-json.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import type { DbDatum } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { type MergeCounts, mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'

/** A CrawlDb that is merged into another, and its folder. */
export interface MergeSource {
  readonly folder: string
  readonly crawlDb: CrawlDb
}

export interface MergeDbJob {
  readonly context: JobContext
  readonly sources: readonly MergeSource[]
  /** The URL under which a record of a source is merged; undefined leaves it out. */
  readonly keepUrl?: ((url: Url) => Url | undefined) | undefined
  /** What `keepUrl` depends on. */
  readonly rulesHash: string
}

/**
 * Merges CrawlDbs into one (Nutch's CrawlDbMerger): of several records of a URL the one fetched last stays, with the metadata of all. Locks of
 * the sources' fetch lists are not taken over. Reads the sources, and touches their URLs only.
 */
export async function mergedb(crawlDb: CrawlDb, { context, sources, keepUrl, rulesHash }: MergeDbJob): Promise<MergeCounts> {
  const { config, clock, signal, folder } = context
  const inputs = sources.map(source => ({ name: source.folder, digest: String(source.crawlDb.state.sequence) }))
  const job = await crawlDb.ledger.begin({ kind: 'mergedb', timeMs: clock.nowMs(), configHash: configHash(rulesHash), inputs })
  await promoteDue(crawlDb, job.timeMs)
  return mergeUpdates<DbDatum>({
    target: crawlDb,
    job,
    updates: recordsOf(sources, keepUrl, signal),
    reduce: (key, old, payloads) => {
      const others = payloads.map(payload => dbDatumFromJson(urlOfKey(key), parseJsonObject(payload)))
      return reduceMerge(old === undefined ? others : [old, ...others])
    },
    spillFolder: join(folder.spool, `mergedb-${job.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: config.db.batchRecords,
    signal,
  })
}

/** What one source would bring. */
export interface MergePreview {
  readonly from: string
  readonly records: number
  /** Of them, those whose URL the db that is merged into has. */
  readonly known: number
  readonly new: number
}

/** What `mergedb` would do, source by source. @param crawlDb what is merged into; undefined if it is still to be made */
export async function* previewMergedb(
  crawlDb: CrawlDb | undefined,
  { sources, keepUrl, context }: Pick<MergeDbJob, 'sources' | 'keepUrl' | 'context'>,
): AsyncGenerator<MergePreview> {
  for (const source of sources) {
    let known = 0
    let records = 0
    for await (const updates of recordsOf([source], keepUrl, context.signal)) {
      records += updates.length
      const found = (await crawlDb?.readMany(updates.map(({ key }) => key))) ?? []
      known += found.filter(datum => datum !== undefined).length
    }
    yield { from: source.folder, records, known, new: records - known }
  }
}

async function* recordsOf(
  sources: readonly MergeSource[],
  keepUrl: MergeDbJob['keepUrl'],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Update[]> {
  for (const { crawlDb } of sources) {
    for await (const batch of crawlDb.scan()) {
      signal?.throwIfAborted()
      yield batch.flatMap(([key, bytes]): Update[] => {
        const datum = unlockDatum(decodeDatum(key, bytes))
        const url = keepUrl === undefined ? datum.url : keepUrl(datum.url)
        return url === undefined ? [] : [{ key: keyOfUrl(url), payload: JSON.stringify(datumToJson(datum)) }]
      })
    }
  }
}
