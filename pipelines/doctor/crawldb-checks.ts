import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { decodeDatum, encodeDatum } from '../../lib/crawldb/datum-codec.js'
import { lockOf, unlockDatum } from '../../lib/crawldb/lock.js'
import { rebuildIndexes } from '../../lib/crawldb/rebuild-indexes.js'
import { tables } from '../../lib/crawldb/tables.js'
import { type Finding, verifyCrawlDb } from '../../lib/crawldb/verify.js'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import type { DbDatum } from '../../lib/record/records.js'
import { keyOfUrl, urlOfKey } from '../../lib/record/url-key.js'
import { listSegments } from '../../lib/segment/segment.js'
import { type Change, writeChanges } from '../../lib/store/level-store.js'
import type { Merged } from '../../lib/store/sorted-merge.js'
import { type JobContext, withJobDb } from '../job.js'
import { finishPendingJob } from '../pending-job.js'
import type { Report } from './ailment.js'
import { rebuildCrawlDb } from './rebuild-crawldb.js'

/** Findings of one kind that are named one by one. */
const namedFindings = 20
const recordsPerBatch = 1000

/** Opens and verifies the CrawlDb; one that does not open, or that holds less than it should, is rebuilt. */
export async function checkCrawlDb(context: JobContext, report: Report): Promise<void> {
  const check = (): Promise<void> => withJobDb(context, crawlDb => checkOpened(crawlDb, context, report))
  let isRebuilt = false
  const repair = async (): Promise<void> => {
    await rebuildCrawlDb(context)
    isRebuilt = true
  }
  try {
    await check()
  } catch (error) {
    if (isCrawlError(error, 'DB_MISSING')) {
      if ((await listSegments(context.folder.segments)).length === 0) throw error
      await report({ part: 'crawldb', problem: 'there is none, but there are segments', remedy: 'build it from the segments', repair })
    } else if (isCrawlError(error, 'DB_DAMAGED') || isCrawlError(error, 'RECORD_CORRUPT')) {
      const remedy = 'rebuild it from its readable tables and the segments; the damaged folder is kept beside it'
      await report({ part: 'crawldb', problem: error.message, remedy, repair })
    } else throw error
  }
  if (isRebuilt) await check()
}

async function checkOpened(crawlDb: CrawlDb, context: JobContext, report: Report): Promise<void> {
  const findings = await collectFindings(crawlDb)
  const rebuild = (): Promise<void> => rebuildIndexes(crawlDb, crawlDb.state.sortFingerprint)
  if (findings.record.count > 0) {
    await report({
      part: 'crawldb',
      problem: `${findings.record.count} records do not read: ${textOf(findings.record)}`,
      remedy: 'put them back as unfetched; their bytes are kept in crawldb.damaged-records.ndjson',
      repair: () => replaceUnreadable(crawlDb, context).then(rebuild),
    })
  }
  if (findings.stray.count > 0) {
    const repair = (): Promise<void> => removeStray(crawlDb, findings.stray.keys)
    await report({ part: 'crawldb', problem: textOf(findings.stray), remedy: 'take these entries out', repair })
  }
  if (findings.index.count > 0) {
    const problem = `indexes or counts do not fit the records: ${textOf(findings.index)}`
    await report({ part: 'crawldb', problem, remedy: 'make the indexes and counts anew', repair: rebuild })
  }
  if (findings.ledger.count > 0) await report({ part: 'ledger', problem: textOf(findings.ledger) })
  await checkLocks(crawlDb, context, report)
  await checkPendingJob(crawlDb, context, report)
}

interface Found {
  count: number
  readonly texts: string[]
  readonly keys: string[]
}

type Kind = 'record' | 'index' | 'stray' | 'ledger'

async function collectFindings(crawlDb: CrawlDb): Promise<Record<Kind, Found>> {
  const none = (): Found => ({ count: 0, texts: [], keys: [] })
  const found = { record: none(), index: none(), stray: none(), ledger: none() }
  for await (const finding of verifyCrawlDb(crawlDb)) {
    const of = found[kindOf(finding)]
    of.count++
    if (finding.key !== undefined) of.keys.push(finding.key)
    if (of.texts.length < namedFindings) of.texts.push(`${finding.table}: ${finding.url ?? ''} ${finding.problem}`.replace(/\s+/g, ' ').trim())
  }
  return found
}

function kindOf({ table, key }: Finding): Kind {
  if (table === 'datum') return 'record'
  if (table === 'ledger') return 'ledger'
  return key === undefined ? 'index' : 'stray'
}

function textOf({ texts, count }: Found): string {
  return texts.join('; ') + (count > texts.length ? `; and ${count - texts.length} more` : '')
}

/** Each record that does not read becomes one that was never fetched: its URL is known, it stands in the key. */
async function replaceUnreadable(crawlDb: CrawlDb, { folder, config, clock }: JobContext): Promise<void> {
  const kept = join(folder.root, 'crawldb.damaged-records.ndjson')
  for await (const batch of crawlDb.scan()) {
    const changes: Change[] = []
    for (const [key, bytes] of batch) {
      if (isReadable(key, bytes)) continue
      await appendFile(kept, `${JSON.stringify({ key, bytes: bytes.toString('hex') })}\n`)
      changes.push(unfetchedChange(key, clock.nowMs(), config.schedule.intervalS))
    }
    if (changes.length > 0) await crawlDb.commits.run(() => writeChanges(crawlDb.level, changes, true))
  }
}

function unfetchedChange(key: string, nowMs: number, fetchIntervalS: number): Change {
  const place = tables.datum + key
  try {
    const datum: DbDatum = {
      url: urlOfKey(key),
      status: 'db_unfetched',
      fetchTimeMs: nowMs,
      modifiedTimeMs: 0,
      retries: 0,
      fetchIntervalS,
      score: 0,
      metadata: {},
    }
    return keyOfUrl(datum.url) === key ? { key: place, value: encodeDatum(key, datum) } : { key: place }
  } catch {
    return { key: place } // a key that is none: nothing can be put back under it
  }
}

function isReadable(key: string, bytes: Buffer): boolean {
  try {
    decodeDatum(key, bytes)
    return true
  } catch {
    return false
  }
}

async function removeStray(crawlDb: CrawlDb, keys: readonly string[]): Promise<void> {
  await crawlDb.commits.run(() =>
    writeChanges(
      crawlDb.level,
      keys.map(key => ({ key })),
      true,
    ),
  )
}

/** A lock is taken away by its segment, or ends with its time; where the segment is gone nothing is left to wait for. */
async function checkLocks(crawlDb: CrawlDb, { folder, clock }: JobContext, report: Report): Promise<void> {
  const segments = new Set((await listSegments(folder.segments)).map(({ name }) => name))
  const isOrphan = (datum: DbDatum): boolean => {
    const lock = lockOf(datum)
    return lock !== undefined && lock.untilMs > clock.nowMs() && !segments.has(lock.segment)
  }
  let count = 0
  for await (const batch of crawlDb.scan()) {
    for (const [key, bytes] of batch) if (bytes.includes('_ngt_') && isReadable(key, bytes) && isOrphan(decodeDatum(key, bytes))) count++
  }
  if (count === 0) return
  const repair = (): Promise<void> => unlock(crawlDb, isOrphan)
  await report({ part: 'locks', problem: `${count} records are locked to segments that are gone`, remedy: 'unlock them', repair })
}

async function unlock(crawlDb: CrawlDb, isOrphan: (datum: DbDatum) => boolean): Promise<void> {
  let merged: Merged<DbDatum>[] = []
  const flush = async (): Promise<void> => {
    const batch = merged
    merged = []
    await crawlDb.commits.run(() => crawlDb.commit(batch, [], true))
  }
  for await (const datum of crawlDb.records()) {
    if (!isOrphan(datum)) continue
    merged.push({ key: keyOfUrl(datum.url), old: datum, next: unlockDatum(datum) })
    if (merged.length === recordsPerBatch) await flush()
  }
  if (merged.length > 0) await flush()
}

/** Jobs that need nothing but what stands in the folder. */
const finishable = new Set(['generate', 'updatedb', 'dedup', 'sweep'])

/** A job that was cut off keeps all others waiting. One that needs more than the folder has, such as seeds that have changed since, may never go on. */
async function checkPendingJob(crawlDb: CrawlDb, context: JobContext, report: Report): Promise<void> {
  const pending = await crawlDb.ledger.pending()
  if (pending === undefined) return
  const of = pending.inputs.map(({ name }) => name).join(', ')
  const problem = `${pending.kind} of ${of || 'the db'}, begun ${new Date(pending.timeMs).toISOString()}, was cut off`
  const letGo = (): Promise<void> => crawlDb.commits.run(() => writeChanges(crawlDb.level, crawlDb.ledger.endChanges(pending), true))
  await report({
    part: 'job',
    isNote: true,
    ...(finishable.has(pending.kind)
      ? { problem, remedy: 'finish it', repair: () => finishPendingJob(crawlDb, context) }
      : { problem: `${problem}: the same command goes on`, remedy: 'let go of it: what it has done stays, the rest is left undone', repair: letGo }),
  })
}
