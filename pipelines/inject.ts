import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { promoteDue } from '../lib/crawldb/promote.js'
import { type InjectRules, injectedDatum, reduceInject } from '../lib/crawldb/rules/inject-rule.js'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import { datumFromJson, datumToJson } from '../lib/record/datum-json.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import { noMetadata } from '../lib/record/metadata.js'
import type { CrawlDatum } from '../lib/record/records.js'
import { parseSeedLine, type Seed, type SeedLine } from '../lib/record/seed-line.js'
import type { Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { bareReturnsAsFeeds } from '../lib/stream/bare-returns.js'
import { type Line, splitLineBatches } from '../lib/stream/split-lines.js'
import { shownUrl } from '../lib/url/shown-url.js'
import { configHash } from './config-hash.js'
import { type JobContext, withJobDb } from './job.js'
import { refuseNewDbBesideSegments } from './refuse-new-db.js'
import { inputOf, readSeedFile } from './seed-files.js'

/** How raw seed URLs become URLs of the crawl. */
export interface SeedRules {
  /** The normalized URL, or undefined if it is none. */
  normalize(raw: string): Url | undefined
  accepts(url: Url): boolean
}

export interface InjectJob {
  readonly context: JobContext
  /** Seed files in the order they are read; all on disk, so that a killed job can go on. */
  readonly files: readonly string[]
  readonly rules: SeedRules
  /** A seed replaces the record it meets. @defaultValue false */
  readonly isOverwriting?: boolean
  /** A seed's metadata, score and interval go into the record it meets. @defaultValue false */
  readonly isUpdating?: boolean
  /** With `isUpdating`: score, interval and modified time go into it whatever the defaults are, metadata does not. @defaultValue false */
  readonly takesAll?: boolean
  /** Refuse the whole job at the first line that cannot be used. @defaultValue false */
  readonly isStrict?: boolean
  /** Part of what the job's result depends on: the rules' own configuration. */
  readonly rulesHash?: string
}

export interface InjectReport {
  readonly read: number
  readonly malformed: number
  readonly rejected: number
  readonly added: number
  readonly merged: number
}

/** Puts seeds into the CrawlDb (Nutch's Injector). Touches the seeds' keys only. @throws {CrawlError} DB_MISSING where it is gone and its segments are there */
export async function inject(job: InjectJob): Promise<InjectReport> {
  await refuseNewDbBesideSegments(job.context.folder)
  return withJobDb(job.context, crawlDb => injectInto(crawlDb, job), true)
}

/** @throws {CrawlError} LINE_INVALID in strict mode; what the ledger and the disk say otherwise */
export async function injectInto(crawlDb: CrawlDb, job: InjectJob): Promise<InjectReport> {
  const { context, files, isOverwriting = false, isUpdating = false, takesAll = false } = job
  const { config, schedule, scoring, clock, counters, signal } = context
  const inputs = []
  for (const file of files) inputs.push(await inputOf(file, context.folder.root))
  const modes = [isOverwriting, isUpdating, ...(takesAll ? [takesAll] : [])]
  const hash = configHash(...modes, job.rulesHash, config.schedule, config.score, config.db.injectedScore, config.db.purgesGone)
  const started = await crawlDb.ledger.begin({ kind: 'inject', timeMs: clock.nowMs(), configHash: hash, inputs })
  await promoteDue(crawlDb, started.timeMs)
  const rules: InjectRules = { schedule, scoring, db: config.db, overwrites: isOverwriting, updates: isUpdating, takesAll, nowMs: started.timeMs }
  const counts = await mergeUpdates({
    target: crawlDb,
    job: started,
    updates: seedUpdates(job, rules),
    reduce: (key, old, payloads) =>
      reduceInject(
        old,
        payloads.map(payload => datumOf(urlOfKey(key), payload, rules)),
        rules,
      ),
    spillFolder: join(context.folder.spool, `inject-${started.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: config.db.batchRecords,
    signal,
  })
  counters.add('inject/added', counts.added)
  counters.add('inject/merged', counts.keys - counts.added)
  return {
    read: counters.get('inject/read'),
    malformed: counters.get('inject/malformed'),
    rejected: counters.get('inject/rejected'),
    added: counts.added,
    merged: counts.keys - counts.added,
  }
}

/** A seed that says nothing but its URL, as most do, has an empty payload. */
const plainSeed = ''

function datumOf(url: Url, payload: string, rules: InjectRules): CrawlDatum {
  return payload === plainSeed ? injectedDatum(url, { metadata: noMetadata }, rules) : datumFromJson(url, parseJsonObject(payload))
}

function payloadOf(url: Url, seed: Exclude<SeedLine, { readonly kind: 'blank' }>, rules: InjectRules): string {
  if (seed.kind === 'record') return JSON.stringify(datumToJson(datumFromJson(url, seed.json)))
  return isPlain(seed.seed) ? plainSeed : JSON.stringify(datumToJson(injectedDatum(url, seed.seed, rules)))
}

function isPlain({ score, fetchIntervalS, metadata }: Seed): boolean {
  if (score !== undefined || fetchIntervalS !== undefined) return false
  for (const _ in metadata) return false
  return true
}

async function* seedUpdates(job: InjectJob, rules: InjectRules): AsyncGenerator<readonly Update[]> {
  for (const file of job.files) {
    for await (const lines of splitLineBatches()(bareReturnsAsFeeds(readSeedFile(file)))) {
      const updates: Update[] = []
      for (const line of lines) {
        const update = seedUpdate(job, rules, file, line)
        if (update !== undefined) updates.push(update)
      }
      yield updates
    }
  }
}

/** A line as an update, or nothing where it is blank, rejected, or (counted and logged with its number) not to be used. */
function seedUpdate(job: InjectJob, rules: InjectRules, file: string, line: Line): Update | undefined {
  const { counters } = job.context
  try {
    if (line.fault !== undefined) throw line.fault
    const seed = parseSeedLine(line.text)
    if (seed.kind === 'blank') return undefined
    counters.add('inject/read')
    const url = job.rules.normalize(seed.urlText)
    if (url === undefined) throw new CrawlError('URL_INVALID', `no URL that can be crawled: ${shownUrl(seed.urlText)}`)
    if (!job.rules.accepts(url)) {
      counters.add('inject/rejected')
      return undefined
    }
    if (seed.kind === 'seed') for (const problem of seed.problems) reportProblem(job, file, line, problem)
    return { key: keyOfUrl(url), payload: payloadOf(url, seed, rules) }
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error
    counters.add('inject/malformed')
    reportProblem(job, file, line, messageOf(error))
    return undefined
  }
}

function reportProblem(job: InjectJob, file: string, line: Line, reason: string): void {
  if (job.isStrict) throw new CrawlError('LINE_INVALID', `${file}:${line.number}: ${reason}`)
  job.context.counters.add('inject/problems')
  job.context.log.warn({ file, line: line.number, reason }, 'seed line')
}
