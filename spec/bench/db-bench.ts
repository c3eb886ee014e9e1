import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configWith } from '../../lib/config/resolve-config.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { ManualClock } from '../../lib/log/clock.js'
import { silentLogger } from '../../lib/log/logger.js'
import { storedUrl } from '../../lib/record/url.js'
import { generate } from '../../pipelines/generate.js'
import { injectInto } from '../../pipelines/inject.js'
import { createJobContext, type JobContext, withJobDb } from '../../pipelines/job.js'
import { crawlDbStats } from '../../pipelines/stats.js'
import { updatedb } from '../../pipelines/updatedb.js'
import { fillDb, fillSegment, hostNumber, urlNumber } from './db-fill.js'

/** How long one thing took, and the most memory that the process had meanwhile. */
export interface Measured {
  readonly ms: number
  readonly peakBytes: number
}

export interface DbFigures {
  readonly urls: number
  readonly hosts: number
  readonly fillPerS: number
  /** On disk, with all indexes, once LevelDB has compacted. */
  readonly bytesPerUrl: number
  readonly inject1000: Measured
  readonly updatedb: Measured & { readonly outcomes: number; readonly links: number; readonly updates: number }
  /** `generate --top-n 1000` with few records due; what became due is moved before. */
  readonly generateFewDue: Measured & { readonly due: number }
  /** `readdb --stats`, a scan. */
  readonly stats: Measured & { readonly recordsPerS: number }
}

export interface DbBenchOptions {
  readonly urls: number
  readonly hosts: number
  readonly due?: number
  readonly outcomes?: number
  readonly linksPerPage?: number
}

const startMs = Date.UTC(2026, 0, 31)

/** Figures of a db in which few records are due: bytes a URL, inject of 1,000, updatedb, generate, stats. */
export async function measureDb({ urls, hosts, due = 10_000, outcomes = 100_000, linksPerPage = 40 }: DbBenchOptions): Promise<DbFigures> {
  return withBenchFolder(async context => {
    const fill = await measured(() => withJobDb(context, crawlDb => fillDb(crawlDb, { urls, hosts, due }, startMs), true))
    const bytesPerUrl = (await compactedBytes(context)) / urls
    const generateFewDue = await withJobDb(context, crawlDb => measureGenerate(crawlDb, context))
    const inject1000 = await measureInject(context, hosts)
    const segment = await fillSegment(context, { outcomes, linksPerPage, hosts, urlsPerHost: Math.max(1, Math.ceil(urls / hosts)) })
    let updates = 0
    const update = await measured(() =>
      withJobDb(context, async crawlDb => {
        updates = (await updatedb(crawlDb, { context, segments: [segment] })).updates
      }),
    )
    const stats = await measureStats(context)
    return {
      urls,
      hosts,
      fillPerS: Math.round(urls / (fill.ms / 1000)),
      bytesPerUrl,
      inject1000,
      updatedb: { ...update, outcomes, links: outcomes * linksPerPage, updates },
      generateFewDue: { ...generateFewDue, due },
      stats: { ...stats, recordsPerS: Math.round(urls / (stats.ms / 1000)) },
    }
  })
}

/** A db in which nearly everything is due, on very many hosts, as crawls grow: bytes a URL, and `generate --top-n 1000` once what is due was moved. */
export async function measureGenerateManyDue({ urls, hosts, due }: Required<Pick<DbBenchOptions, 'urls' | 'hosts' | 'due'>>): Promise<{
  readonly bytesPerUrl: number
  /** The first generate: moves all that is due from one index to the other. */
  readonly promote: Measured
  readonly generate: Measured
  readonly generateAgain: Measured
}> {
  return withBenchFolder(async context => {
    await withJobDb(context, crawlDb => fillDb(crawlDb, { urls, hosts, due }, startMs), true)
    const promote = await withJobDb(context, crawlDb => measureGenerate(crawlDb, context, 1))
    const bytesPerUrl = (await compactedBytes(context)) / urls
    return withJobDb(context, async crawlDb => ({
      bytesPerUrl,
      promote,
      generate: await measureGenerate(crawlDb, context),
      generateAgain: await measureGenerate(crawlDb, context),
    }))
  })
}

async function measureGenerate(crawlDb: CrawlDb, context: JobContext, topN = 1000): Promise<Measured> {
  return measured(async () => {
    const report = await generate(crawlDb, { context, topN })
    if (report?.items !== topN) throw new Error(`${report?.items ?? 0} of ${topN} were generated`)
  })
}

async function measureInject(context: JobContext, hosts: number): Promise<Measured> {
  const file = join(context.folder.root, 'seeds.txt')
  const seeds = Array.from({ length: 1000 }, (_, index) => `${urlNumber(hostNumber((index * 7919) % hosts), 1_000_000 + index)}\tnutch.score=0.5`)
  writeFileSync(file, `${seeds.join('\n')}\n`)
  const rules = { normalize: storedUrl, accepts: () => true }
  return measured(() => withJobDb(context, async crawlDb => void (await injectInto(crawlDb, { context, files: [file], rules }))))
}

async function measureStats(context: JobContext): Promise<Measured> {
  const choice = { range: {}, matches: () => true, tests: false, isAll: true }
  return measured(() => withJobDb(context, async crawlDb => void (await crawlDbStats(crawlDb, { choice, quantiles: [0.5, 0.99] }))))
}

/** Bytes of the CrawlDb's files after a compaction of all. */
async function compactedBytes(context: JobContext): Promise<number> {
  await withJobDb(context, crawlDb => crawlDb.level.compactRange('', '\u007f'))
  const folder = join(context.folder.root, 'crawldb')
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

async function measured(work: () => Promise<void>): Promise<Measured> {
  globalThis.gc?.()
  let peakBytes = process.memoryUsage.rss()
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 20)
  const beganMs = performance.now()
  try {
    await work()
    return { ms: performance.now() - beganMs, peakBytes: Math.max(peakBytes, process.memoryUsage.rss()) }
  } finally {
    clearInterval(timer)
  }
}

async function withBenchFolder<T>(use: (context: JobContext) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
  const config = configWith()
  try {
    return await use(createJobContext({ folder, config, clock: new ManualClock(startMs), log: silentLogger, command: 'bench' }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
