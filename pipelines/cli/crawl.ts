import { type Command, Option } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { CrawlStatus } from '../../lib/metrics/crawl-status.js'
import { configHash } from '../config-hash.js'
import { crawl } from '../crawl.js'
import type { CrawlLimits } from '../crawl-job.js'
import { createFetcher } from '../fetcher.js'
import type { JobContext } from '../job.js'
import { urlRulesOf } from '../job.js'
import { createPagePool } from '../page-pool.js'
import { listSeedFiles, spoolSeeds } from '../seed-files.js'
import { SitemapFollower } from '../sitemap-follower.js'
import { watchStopFile } from '../stop-file.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { fetchFlags, withFetchOptions } from './fetch-options.js'
import { jobContextOf, printJson } from './job-context.js'
import { collect, durationMs, flag, listOption, numberOption, requiredArgument, textOption, wholeNumber } from './option-values.js'
import { showCrawl } from './progress.js'
import { readStdin, stdinUse } from './stdin-rule.js'

export function declare(command: Command): Command {
  return withFetchOptions(
    command
      .argument('<dir>', "the crawl's folder; made if it is not there")
      .argument('[url...]', 'seed URLs; - or nothing (and no --seeds) for stdin')
      .option('--seeds <file>', 'seed file or folder of them; may be repeated', collect)
      .option('--rounds <n>', 'rounds of generate, fetch, parse, updatedb', wholeNumber)
      .option('--max-pages <n>', 'pages fetched', wholeNumber)
      .option('--max-time <duration>', 'such as 10m or 2h', durationMs)
      .option('--until-idle', 'until nothing is due')
      .option('--forever', 'sleep when nothing is due, and go on')
      .option('--top-n <n>', 'URLs of one round at most', wholeNumber)
      .addOption(
        new Option('--sitemaps <mode>', 'read sitemaps that robots.txt of the hosts names: of each host once, or always again').choices([
          'never',
          'once',
          'always',
        ]),
      ),
  ).addHelpText('after', '\nExample:\n  millrace crawl crawl http://example.org/ --rounds 2 -D http.agent.email=you@example.org')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const limits = limitsOf(options)
  const flags = { ...fetchFlags(options), 'millrace.sitemap.follow': textOption(options, 'sitemaps') }
  const job = await jobContextOf(context, folder, 'crawl', flags)
  const rules = urlRulesOf(job, { trapCounters: job.counters })
  const seedFiles = await seedFilesOf(context, job, args.slice(1), listOption(options, 'seeds'))
  const sitemaps = await SitemapFollower.open(job, rules)
  const { fetcher, client, robots, listing } = createFetcher(job, rules, seen => sitemaps?.seen(seen))
  sitemaps?.share(robots)
  const pool = createPagePool(job.config, job.plugins)
  const status = context.live ?? new CrawlStatus()
  status.limits = limits
  const stopFile = watchStopFile(folder, context.signal, job.log)
  const endShowing = await showCrawl(context, job, status, options)
  let finish: (() => Promise<void>) | undefined
  let isNothing = false
  try {
    const report = await crawl({
      context: job,
      seedFiles,
      rules,
      limits,
      topN: numberOption(options, 'topN'),
      fetcher,
      listing,
      pool,
      command: configHash(limits, args.slice(1), listOption(options, 'seeds')),
      stop: stopFile.signal,
      status,
      sitemaps,
      onPage: page => status.pageDone(page),
      onEnd: given => {
        finish = given
      },
      onFetchStart: fetchRun => status.watchFetch(fetchRun),
    })
    isNothing = report.urls === 0 && report.stoppedBy !== 'signal'
    if (isNothing) job.log.warn({}, 'no URL is in the CrawlDb: name seeds, or see what the rules reject')
    printJson(context, { ...report, counts: job.counters })
  } finally {
    stopFile.end()
    await endShowing()
    client.close()
    await pool.close()
  }
  await finish?.()
  return isNothing ? exitStatus.nothing : exitStatus.done
}

/** @throws {CrawlError} USAGE if there is none */
function limitsOf(options: CommandOptions): CrawlLimits {
  const limits: CrawlLimits = {
    rounds: numberOption(options, 'rounds'),
    maxPages: numberOption(options, 'maxPages'),
    maxTimeMs: numberOption(options, 'maxTime'),
    isUntilIdle: flag(options, 'untilIdle'),
    isForever: flag(options, 'forever'),
  }
  if (
    limits.rounds === undefined &&
    limits.maxPages === undefined &&
    limits.maxTimeMs === undefined &&
    limits.isUntilIdle !== true &&
    limits.isForever !== true
  ) {
    throw new CrawlError('USAGE', 'a crawl wants a limit: --rounds N, --max-pages N, --max-time 10m, --until-idle or --forever')
  }
  return limits
}

/** Seeds given as URLs or piped are put on disk first, so that a crawl that was killed can go on with them. */
async function seedFilesOf(context: CommandContext, job: JobContext, urls: readonly string[], named: readonly string[]): Promise<string[]> {
  const files = await listSeedFiles(
    named.filter(name => name !== '-'),
    job.folder.spool,
  )
  const given = urls.filter(url => url !== '-')
  if (given.length > 0) files.push(await spoolSeeds(lines(given), job.folder.spool))
  const use = stdinUse([...urls, ...named])
  if (use !== 'none') files.push(await spoolSeeds(readStdin(context.stdin, use, { signal: context.signal }), job.folder.spool))
  return files
}

async function* lines(urls: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${urls.join('\n')}\n`)
}
