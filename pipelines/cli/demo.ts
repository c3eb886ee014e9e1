import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { type DbStatus, dbStatuses } from '../../lib/record/status.js'
import { crawl } from '../crawl.js'
import { startDemoSite } from '../demo-site.js'
import { createFetcher } from '../fetcher.js'
import { type JobContext, urlRulesOf, withJobDb } from '../job.js'
import { createPagePool } from '../page-pool.js'
import { topByScore } from '../readdb.js'
import { spoolSeeds } from '../seed-files.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { textOption } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .option('--keep <dir>', 'crawl into this folder and leave it, to be looked at with the other commands')
    .addHelpText('after', '\nExample:\n  millrace demo')
}

/** The two-minute tour: a site on loopback is served, crawled until nothing is due, and what came out is printed. */
export async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const kept = textOption(options, 'keep')
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'millrace-demo-')))
  const site = await startDemoSite()
  const say = (text: string): void => void context.stdout.write(`${text}\n`)
  try {
    const job = await jobContextOf(context, folder, 'demo', demoOptions)
    say(`A site of ${site.hosts.length} hosts is served on loopback, port ${site.port}; its crawl begins at`)
    for (const seed of site.seeds) say(`  ${seed}`)
    const report = await crawlSite(context, job, site.seeds)
    say(
      `\n${report.fetched} pages fetched in ${(report.elapsedMs / 1000).toFixed(1)} s, ${site.requests.length} requests; the CrawlDb knows ${report.urls} URLs:\n`,
    )
    await withJobDb(job, async crawlDb => {
      for (const row of statusRows(crawlDb.state.byStatus)) say(row)
      say('\nThe best by score:\n')
      for (const datum of await topByScore(crawlDb, 5, 0)) say(`  ${datum.score.toFixed(4)}  ${datum.url}`)
    })
    if (kept === undefined)
      say('\nCrawl it into a folder of your own with --keep DIR, and ask it: millrace readdb DIR --stats, millrace explain DIR URL.')
    return exitStatus.done
  } finally {
    await site.close()
    if (kept === undefined) await rm(folder, { recursive: true, force: true })
  }
}

const demoOptions = {
  'http.allow.address': 'loopback',
  'fetcher.server.delay': 0.01,
  'fetcher.threads.fetch': 20,
  'http.timeout': 2000,
  'http.agent.url': 'https://example.org/demo',
  'urlfilter.regex.rules': '+.',
}

async function crawlSite(context: CommandContext, job: JobContext, seeds: readonly string[]) {
  const rules = urlRulesOf(job)
  const { fetcher, client } = createFetcher(job, rules)
  const pool = createPagePool(job.config, job.plugins)
  const seedFile = await spoolSeeds(Readable.from([Buffer.from(`${seeds.join('\n')}\n`)]), job.folder.spool)
  try {
    const limits = { isUntilIdle: true, maxTimeMs: 60_000 }
    return await crawl({ context: job, seedFiles: [seedFile], rules, limits, fetcher, pool, command: 'demo', stop: context.signal })
  } finally {
    client.close()
    await pool.close()
  }
}

const meanings: Readonly<Record<DbStatus, string>> = {
  db_unfetched: 'known, to be fetched',
  db_fetched: 'fetched',
  db_gone: 'not there, or not allowed',
  db_redir_temp: 'temporary redirects',
  db_redir_perm: 'permanent redirects',
  db_notmodified: 'unmodified since the last fetch',
  db_duplicate: 'same content as another page',
  db_orphan: 'no longer linked to',
  db_parse_failed: 'fetched, but not readable',
}

function statusRows(byStatus: Readonly<Partial<Record<DbStatus, number>>>): string[] {
  return dbStatuses
    .filter(status => (byStatus[status] ?? 0) > 0)
    .map(status => `  ${String(byStatus[status]).padStart(4)}  ${status.padEnd(14)} ${meanings[status]}`)
}
