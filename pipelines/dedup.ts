import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { type DedupGroup, type GroupedDedupRules, reduceDuplicateGroups } from '../lib/crawldb/rules/dedup-groups.js'
import { type DedupCriterion, defaultCompareOrder } from '../lib/crawldb/rules/dedup-rule.js'
import { signatureGroups } from '../lib/crawldb/signature-groups.js'
import type { DbDatum } from '../lib/record/records.js'
import { keyOfUrl } from '../lib/record/url-key.js'
import { type MergeCounts, mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'

export interface DedupJob {
  readonly context: JobContext
  /** Records are duplicates only within one of these. @defaultValue 'none': in the whole db */
  readonly group?: DedupGroup
  /** @defaultValue score, fetchTime, urlLength */
  readonly order?: readonly DedupCriterion[]
  /** A page that others of its group name as canonical is kept. @defaultValue false */
  readonly respectsCanonical?: boolean
}

export interface DedupReport extends MergeCounts {
  readonly duplicates: number
  readonly restored: number
}

/** Marks all but one of the records with equal signatures as db_duplicate, through the signature index (Nutch's DeduplicationJob). */
export async function dedup(crawlDb: CrawlDb, job: DedupJob): Promise<DedupReport> {
  const { context, group = 'none', order = defaultCompareOrder, respectsCanonical = false } = job
  const { config, clock, signal, folder, counters } = context
  const started = await crawlDb.ledger.begin({
    kind: 'dedup',
    timeMs: clock.nowMs(),
    configHash: configHash(group, order, respectsCanonical),
    inputs: [],
  })
  let restored = 0
  const counts = await mergeUpdates<DbDatum>({
    target: crawlDb,
    job: started,
    updates: duplicateUpdates(crawlDb, { group, order, respectsCanonical }),
    reduce: (_key, old, payloads) => {
      const status = payloads[0] === 'duplicate' ? 'db_duplicate' : 'db_fetched'
      if (old === undefined || old.status === status) return old
      if (status === 'db_fetched') restored++
      return { ...old, status }
    },
    spillFolder: join(folder.spool, `dedup-${started.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: config.db.batchRecords,
    signal,
  })
  counters.add('dedup/duplicates', counts.changed - restored)
  counters.add('dedup/restored', restored)
  return { ...counts, duplicates: counts.changed - restored, restored }
}

async function* duplicateUpdates(crawlDb: CrawlDb, rules: GroupedDedupRules): AsyncGenerator<readonly Update[]> {
  // A single record matters only if it was a duplicate once: of others that have changed or gone since.
  const minSize = (crawlDb.state.byStatus.db_duplicate ?? 0) > 0 ? 1 : 2
  for await (const records of signatureGroups(crawlDb, minSize)) {
    yield reduceDuplicateGroups(records, rules).map(({ url, status }) => ({
      key: keyOfUrl(url),
      payload: status === 'db_duplicate' ? 'duplicate' : 'restored',
    }))
  }
}
