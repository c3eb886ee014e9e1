import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { Counters } from '../../lib/log/counters.js'
import { sitemapLines } from '../check-sitemap.js'
import { urlRulesOf, withJobDb } from '../job.js'
import { refuseNewDbBesideSegments } from '../refuse-new-db.js'
import { hostRoots, injectSitemaps } from '../sitemaps.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { fetchFlags, withFetchOptions } from './fetch-options.js'
import { jobContextOf, printJson } from './job-context.js'
import { textOption } from './option-values.js'
import { openInput } from './page-source.js'

export function declare(command: Command): Command {
  return withFetchOptions(command)
    .argument('[dir]', "the crawl's folder")
    .argument('[url...]', 'sitemaps, or roots of hosts (then what their robots.txt names, or /sitemap.xml); none: all hosts of the CrawlDb')
    .option('--parse <file>', 'read this sitemap (- for stdin) and print a line for each entry')
    .option('--url <url>', 'the URL the sitemap is from')
    .option('--content-type <type>', 'its Content-Type')
    .option('--no-strict', 'keep entries outside the folder of the sitemap (Nutch: sitemap.strict.parsing=false)')
    .addHelpText('after', '\nExample:\n  echo http://example.org/a | millrace sitemap --parse - --url http://example.org/sitemap.txt')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const file = textOption(options, 'parse')
  if (file !== undefined) return parseFile(context, file, options)
  const [folder, ...urls] = args
  if (folder === undefined) throw new CrawlError('USAGE', 'a folder is missing, or --parse FILE')
  return injectFrom(context, folder, urls, options)
}

/** Nutch's sitemap job. */
async function injectFrom(context: CommandContext, folder: string, urls: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const flags = { ...fetchFlags(options), 'sitemap.strict.parsing': options.strict === false ? false : undefined }
  const job = await jobContextOf(context, folder, 'sitemap', flags)
  const rules = urlRulesOf(job)
  const wait = async (ms: number, signal?: AbortSignal): Promise<void> => void (await sleep(ms, undefined, signal === undefined ? {} : { signal }))
  await refuseNewDbBesideSegments(job.folder)
  return withJobDb(
    job,
    async crawlDb => {
      const starts = urls.length > 0 ? urls : await hostRoots(crawlDb)
      const report = await injectSitemaps({ context: job, crawlDb, rules, starts, wait })
      printJson(context, { ...report, counts: job.counters })
      return report.sitemaps > 0 ? exitStatus.done : exitStatus.nothing
    },
    true,
  )
}

async function parseFile(context: CommandContext, file: string, options: CommandOptions): Promise<ExitStatus> {
  const url = textOption(options, 'url')
  if (url === undefined || !URL.canParse(url))
    throw new CrawlError('USAGE', '--url is missing or no absolute URL: it says what the sitemap may speak for')
  const { config } = context.configure(undefined, options.strict === false ? { 'sitemap.strict.parsing': false } : {})
  const { log, stdout, signal } = context
  const counters = new Counters()
  const contentType = textOption(options, 'contentType')
  const job = { url, config, counters, log, ...(contentType === undefined ? {} : { contentType }) }
  await pipeline(openInput(context, file), source => sitemapLines(source, job), stdout, { signal, end: false })
  log.info(counters.toJSON(), 'done')
  return counters.get('sitemap/not_a_sitemap') > 0 ? exitStatus.nothing : exitStatus.done
}
