import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { endOf, tables } from '../lib/crawldb/tables.js'
import type { RobotsKeeper } from '../lib/fetch/robots-keeper.js'
import type { ChangeFrequency, SitemapEntry } from '../lib/parse/sitemap/sitemap-entry.js'
import { type SitemapStart, walkSitemaps } from '../lib/parse/sitemap/walk-sitemaps.js'
import { datumToLine } from '../lib/record/datum-json.js'
import { noMetadata } from '../lib/record/metadata.js'
import type { CrawlDatum } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { urlOfKey } from '../lib/record/url-key.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import { type InjectReport, injectInto } from './inject.js'
import type { JobContext } from './job.js'
import { PoliteTurns } from './polite-turns.js'
import { PolitenessKeeper } from './politeness-keeper.js'
import { spoolSeeds } from './seed-files.js'
import { SitemapFetcher } from './sitemap-fetcher.js'

export interface SitemapJob {
  readonly context: JobContext
  readonly crawlDb: CrawlDb
  readonly rules: CrawlUrlRules
  /** Sitemaps, or the roots of hosts: then those that robots.txt names, or `/sitemap.xml`. */
  readonly starts: readonly string[]
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  /** What is known of robots.txt, to share it. @defaultValue nothing yet */
  readonly robots?: RobotsKeeper
}

export interface SitemapReport extends InjectReport {
  /** Sitemaps that answered. */
  readonly sitemaps: number
}

const maxSitemaps = 50_000

/** Reads sitemaps politely and injects what they name (Nutch's SitemapProcessor): score by priority, interval by changefreq, modified time by lastmod. */
export async function injectSitemaps(job: SitemapJob): Promise<SitemapReport> {
  const { context, wait } = job
  const { config, pacingClock, signal } = context
  const politeness = await PolitenessKeeper.open(context)
  const { state, notBeforeMs } = politeness
  const turns = new PoliteTurns({ config: config.fetch, clock: pacingClock, wait, signal, politeness: state, notBeforeMs })
  const fetcher = new SitemapFetcher({ context, turns, signal, ...(job.robots === undefined ? {} : { robots: job.robots }) })
  try {
    politeness.watch(() => turns.exportPoliteness())
    const file = await spoolSitemaps(job, fetcher, await fetcher.resolve(job.starts))
    await politeness.end(turns.exportPoliteness())
    return { ...(await injectSpooled(job, file)), sitemaps: fetcher.opened }
  } finally {
    await politeness.abandon()
    fetcher.close()
  }
}

export type SitemapRules = Pick<SitemapJob, 'context' | 'rules'>

/** Writes what sitemaps name, and those that they name, to a file of seeds. */
export function spoolSitemaps(job: SitemapRules, fetcher: SitemapFetcher, starts: readonly SitemapStart[]): Promise<string> {
  const { config, counters, log, folder } = job.context
  const entries = walkSitemaps(starts, {
    isStrict: config.sitemap.isStrict,
    maxBytes: config.sitemap.maxBytes,
    maxDepth: config.parse.maxDepth,
    maxAttributeChars: config.parse.maxAttributeChars,
    maxIndexDepth: config.sitemap.maxDepth,
    maxSitemaps,
    open: url => fetcher.open(url),
    onFault: (fault, sitemap, fact) => {
      counters.add(`sitemap/${fault}`)
      const isSerious = fault !== 'malformed_url' && fault !== 'out_of_scope'
      log[isSerious ? 'warn' : 'debug']({ url: sitemap, fault, fact }, 'sitemap')
    },
  })
  return spoolSeeds(Readable.from(recordLines(job, entries)), folder.spool)
}

/** Injects what `spoolSitemaps` wrote, and removes the file. */
export async function injectSpooled({ context, rules, crawlDb }: SitemapRules & Pick<SitemapJob, 'crawlDb'>, file: string): Promise<InjectReport> {
  const report = await injectInto(crawlDb, {
    context,
    files: [file],
    rules: { normalize: raw => rules.normalize(raw, 'inject'), accepts: url => rules.accepts(url) },
    isUpdating: context.config.sitemap.overwritesExisting,
    takesAll: context.config.sitemap.overwritesExisting,
    rulesHash: rules.fingerprint,
  })
  await rm(file, { force: true })
  return report
}

/** The root of each origin that the CrawlDb has a record of: one seek an origin. */
export async function hostRoots(crawlDb: CrawlDb): Promise<string[]> {
  const roots = new Set<string>()
  let from = ''
  for (;;) {
    const [first] = await crawlDb.level.keys({ gte: tables.datum + from, lt: endOf(tables.datum), limit: 1 }).all()
    if (first === undefined) return [...roots]
    const key = first.slice(tables.datum.length)
    const { origin, protocol } = new URL(urlOfKey(key))
    if (protocol === 'http:' || protocol === 'https:') roots.add(`${origin}/`)
    // Keys of one origin are not quite one range (userinfo stands behind the port): the next scheme of the host is looked for, then the next host.
    const scheme = key.slice(0, key.indexOf('\u0001') + 1) + protocol.slice(0, -1)
    from = `${scheme}\u007f`
  }
}

async function* recordLines({ context, rules }: SitemapRules, entries: ReturnType<typeof walkSitemaps>): AsyncGenerator<Buffer> {
  for await (const { entry } of entries) {
    const url = rules.normalize(entry.url, 'inject')
    if (url === undefined) context.counters.add('sitemap/malformed_url')
    else yield Buffer.from(datumToLine(entryDatum(url, entry, context)))
  }
}

const intervalOf: Readonly<Record<ChangeFrequency, number>> = {
  always: 1,
  hourly: 3600,
  daily: 86_400,
  weekly: 604_800,
  monthly: 2_592_000,
  yearly: 31_536_000,
  never: 2_147_483_647,
}

/** The record that an entry injects; interval 0 where it names none. Intervals stay within those of the adaptive schedule, and a page of priority 0 gets
 *  the middle one, as in Nutch. */
function entryDatum(url: Url, { priority, changefreq, lastmodMs }: SitemapEntry, { config, clock }: JobContext): CrawlDatum {
  const { adaptiveMinIntervalS, adaptiveMaxIntervalS } = config.schedule
  const intervalS = changefreq === undefined ? 0 : Math.min(Math.max(intervalOf[changefreq], adaptiveMinIntervalS), adaptiveMaxIntervalS)
  return {
    url,
    status: 'injected',
    fetchTimeMs: clock.nowMs(),
    modifiedTimeMs: Math.min(lastmodMs ?? 0, clock.nowMs()),
    retries: 0,
    fetchIntervalS: Math.round(intervalS),
    score: priority === 0 ? 0.5 : priority,
    metadata: noMetadata,
  }
}
