import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import { reduceMerge } from '../lib/crawldb/rules/merge-rule.js'
import type { RuleRef } from '../lib/explain/decision.js'
import { datumToJson, dbDatumFromJson } from '../lib/record/datum-json.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import type { DbDatum } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { configHash } from './config-hash.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import type { JobContext } from './job.js'

export interface RefilterJob {
  readonly context: JobContext
  readonly rules: CrawlUrlRules
  /** Whether URLs are normalized (scope crawldb) before they are filtered. */
  readonly isNormalizing: boolean
}

/** What the rules make of a record's URL. */
export type Refiltered =
  | { readonly action: 'keep' }
  /** A rule failed instead of deciding: the record stays (NUTCH-3164). */
  | { readonly action: 'keep'; readonly error: string }
  | { readonly action: 'drop'; readonly by: RuleRef }
  | { readonly action: 'move'; readonly to: Url }

export interface RefilterReport {
  /** Records looked at. */
  readonly records: number
  readonly dropped: number
  /** Records whose URL was normalized to another. */
  readonly moved: number
  /** Of these, those that met a record, and were merged with it. */
  readonly merged: number
  /** Records that stay because a rule failed. */
  readonly errors: number
}

/** What becomes of a URL. */
export function refilterUrl(url: Url, { rules, isNormalizing }: Pick<RefilterJob, 'rules' | 'isNormalizing'>): Refiltered {
  const normalized = isNormalizing ? rules.normalizers.normalize(url, 'crawldb') : { url }
  if (!('url' in normalized)) {
    if (normalized.isError === true) return { action: 'keep', error: normalized.rejected }
    const step = rules.normalizers.explain(url, 'crawldb').steps.at(-1)
    return { action: 'drop', by: step ?? { rule: 'no URL any more', file: 'built in', line: 0 } }
  }
  const target = normalized.url
  const rejection = rules.filters.rejection(target)
  if (rejection?.isError === true) return { action: 'keep', error: rejection.reason ?? rejection.filter }
  if (rejection !== undefined) return { action: 'drop', by: rejection.by }
  return target === url ? { action: 'keep' } : { action: 'move', to: target }
}

/**
 * Applies the URL rules to every record: a scan. In two jobs, each of which can be killed and run again: first records go to the URLs that
 * they are normalized to, and are merged there by the rule of mergedb, then what is rejected or has moved is deleted.
 */
export async function refilter(crawlDb: CrawlDb, job: RefilterJob): Promise<RefilterReport> {
  const isMoved = (await crawlDb.ledger.pending())?.inputs[0]?.name === 'drop'
  const moves = isMoved ? { keys: 0, added: 0 } : await runStep(crawlDb, job, 'move')
  const counts = { records: 0, errors: 0, dropped: 0, moved: 0 }
  await runStep(crawlDb, job, 'drop', made => {
    counts.records++
    if ('error' in made) counts.errors++
    if (made.action === 'drop') counts.dropped++
    if (made.action === 'move') counts.moved++
  })
  const { context } = job
  for (const name of ['records', 'dropped', 'moved', 'errors'] as const) context.counters.add(`refilter/${name}`, counts[name])
  return { ...counts, records: counts.records - moves.added, merged: Math.max(0, counts.moved - moves.added) }
}

async function runStep(crawlDb: CrawlDb, job: RefilterJob, step: 'move' | 'drop', onMade: (made: Refiltered) => void = () => undefined) {
  const { context, rules, isNormalizing } = job
  const { config, clock, signal, folder } = context
  const hash = configHash(rules.fingerprint, isNormalizing)
  const started = await crawlDb.ledger.begin({ kind: 'refilter', timeMs: clock.nowMs(), configHash: hash, inputs: [{ name: step, digest: '' }] })
  await promoteDue(crawlDb, started.timeMs)
  return mergeUpdates<DbDatum>({
    target: crawlDb,
    job: started,
    updates: updatesOf(crawlDb, job, step, onMade),
    reduce: (key, old, payloads) => (step === 'drop' ? undefined : mergedDatum(urlOfKey(key), old, payloads)),
    spillFolder: join(folder.spool, `refilter-${started.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: config.db.batchRecords,
    signal,
  })
}

async function* updatesOf(
  crawlDb: CrawlDb,
  job: RefilterJob,
  step: 'move' | 'drop',
  onMade: (made: Refiltered) => void,
): AsyncGenerator<readonly Update[]> {
  if (step === 'move' && !job.isNormalizing) return
  for await (const { datum, made } of refiltered(crawlDb, job)) {
    onMade(made)
    if (step === 'move' && made.action === 'move') yield [{ key: keyOfUrl(made.to), payload: JSON.stringify(datumToJson(datum)) }]
    if (step === 'drop' && made.action !== 'keep') yield [{ key: keyOfUrl(datum.url), payload: '' }]
  }
}

/** Every record with what becomes of it, in the order of keys. */
export async function* refiltered(crawlDb: CrawlDb, job: RefilterJob): AsyncGenerator<{ readonly datum: DbDatum; readonly made: Refiltered }> {
  for await (const datum of crawlDb.records()) {
    job.context.signal?.throwIfAborted()
    yield { datum, made: refilterUrl(datum.url, job) }
  }
}

/** The moved records and the one that stands there, as one. Merging the same ones again changes nothing. */
function mergedDatum(url: Url, old: DbDatum | undefined, payloads: readonly string[]): DbDatum | undefined {
  const moved = payloads.map(payload => dbDatumFromJson(url, parseJsonObject(payload)))
  const merged = reduceMerge(old === undefined ? moved : [old, ...moved])
  return old !== undefined && merged !== undefined && JSON.stringify(datumToJson(old)) === JSON.stringify(datumToJson(merged)) ? old : merged
}
