import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { type DedupCriterion, defaultCompareOrder, reduceDuplicates } from '../lib/crawldb/rules/dedup-rule.js'
import { signatureGroups } from '../lib/crawldb/signature-groups.js'
import { metadataKeys } from '../lib/record/metadata.js'
import type { DbDatum } from '../lib/record/records.js'
import { storedUrl, type Url } from '../lib/record/url.js'
import { keyOfUrl } from '../lib/record/url-key.js'
import { type MergeCounts, mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { hostOf, registeredDomainOf } from '../lib/url/hosts.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'

export type DedupGroup = 'none' | 'host' | 'domain'

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

async function* duplicateUpdates(crawlDb: CrawlDb, rules: Required<Omit<DedupJob, 'context'>>): AsyncGenerator<readonly Update[]> {
  const canonicalOf = (datum: DbDatum): Url | undefined => {
    const canonical = datum.metadata[metadataKeys.canonical]
    return canonical === undefined ? undefined : storedUrl(canonical)
  }
  const dedupRules = { order: rules.order, ...(rules.respectsCanonical ? { canonicalOf } : {}) }
  // A single record matters only if it was a duplicate once: of others that have changed or gone since.
  const minSize = (crawlDb.state.byStatus.db_duplicate ?? 0) > 0 ? 1 : 2
  for await (const records of signatureGroups(crawlDb, minSize)) {
    for (const members of partition(records, rules.group)) {
      yield reduceDuplicates(members, dedupRules).map(({ url, status }) => ({
        key: keyOfUrl(url),
        payload: status === 'db_duplicate' ? 'duplicate' : 'restored',
      }))
    }
  }
}

function partition(records: readonly DbDatum[], group: DedupGroup): DbDatum[][] {
  if (group === 'none') return [[...records]]
  const groups = new Map<string, DbDatum[]>()
  for (const datum of records) {
    const host = hostOf(datum.url)
    const name = group === 'host' ? host : registeredDomainOf(host)
    const members = groups.get(name)
    if (members === undefined) groups.set(name, [datum])
    else members.push(datum)
  }
  return [...groups.values()]
}
