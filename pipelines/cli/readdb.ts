import { type Command, Option } from 'commander'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { verifyCrawlDb } from '../../lib/crawldb/verify.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { datumToLine } from '../../lib/record/datum-json.js'
import { formatJavaFloat } from '../../lib/record/java-float.js'
import { datumToNutchText } from '../../lib/record/nutch-text.js'
import { normalizeUrl } from '../../lib/url/normalize-url.js'
import { type JobContext, withJobDb } from '../job.js'
import { compilePattern } from '../patterns.js'
import { type DumpFormat, dumpDb, topByScore } from '../readdb.js'
import { compileChoice } from '../record-test.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, numberOption, realNumber, requiredArgument, textOption, wholeNumber } from './option-values.js'
import type { Asked, Question } from './readdb-question.js'
import { printStats } from './readdb-stats.js'
import { recordChoiceOf, withRecordChoice } from './record-choice.js'
import { timeZoneOf } from './time-zone.js'

export function declare(command: Command): Command {
  return withRecordChoice(
    command
      .argument('<dir>', "the crawl's folder")
      .option('--stats', 'print counts, times and scores')
      .option('--dump', 'print records')
      .option('--url <url>', 'print the record of one URL')
      .option('--top <n>', 'print the n URLs with the highest scores', wholeNumber)
      .option('--min <score>', 'with --top: lower scores are left out', realNumber)
      .option('--verify', 'check records, indexes and counts')
      .addOption(new Option('--format <form>', 'of --dump').choices(['text', 'csv', 'json', 'lines']).default('text'))
      .option('--json', 'JSON instead of text: one object of --stats, records of --dump in the form of Nutch, others as lines of URL, tab and JSON')
      .option('--sort', 'with --stats: counts by host as well')
      .option('--time-zone <name>', 'zone of times in text', 'UTC'),
  ).addHelpText('after', '\nExample:\n  millrace readdb crawl --stats')
}

const questions: Readonly<Record<string, Question>> = {
  stats: printStats,
  dump,
  url: printUrl,
  top: printTop,
  verify,
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const asked = Object.keys(questions).filter(name => options[name] !== undefined && options[name] !== false)
  const names = Object.keys(questions).map(name => `--${name}`)
  if (asked.length > 1) throw new CrawlError('USAGE', `one of ${names.join(', ')} at a time`)
  const choice = compileChoice(recordChoiceOf(options), compilePattern)
  const name = asked[0] ?? (choice.isAll ? '' : 'dump')
  const question = questions[name]
  if (question === undefined) throw new CrawlError('USAGE', `one of ${names.join(', ')} is wanted`)
  if (!choice.isAll && (name === 'url' || name === 'verify')) throw new CrawlError('USAGE', `--${name} takes no choice of records`)
  const job: JobContext = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'readdb')
  return withJobDb(job, crawlDb => question(crawlDb, { context, options, choice, job }))
}

async function dump(crawlDb: CrawlDb, { context, options, choice }: Asked): Promise<ExitStatus> {
  const format = (flag(options, 'json') ? 'json' : options.format) as DumpFormat // commander lets no other choice through
  const { matches, range } = choice
  await dumpDb(crawlDb, context.stdout, { format, timeZone: timeZoneOf(options), ranges: [range], matches, signal: context.signal })
  return exitStatus.done
}

async function printUrl(crawlDb: CrawlDb, { context, options }: Asked): Promise<ExitStatus> {
  const url = normalizeUrl(textOption(options, 'url') ?? '')
  const datum = await crawlDb.get(url)
  if (flag(options, 'json')) context.stdout.write(datum === undefined ? '' : datumToLine(datum))
  else context.stdout.write(`URL: ${url}\n${datum === undefined ? 'not found' : datumToNutchText(datum, timeZoneOf(options))}\n`)
  return datum === undefined ? exitStatus.nothing : exitStatus.done
}

/** Nutch's form: score, TAB, URL. */
async function printTop(crawlDb: CrawlDb, { context, options, choice }: Asked): Promise<ExitStatus> {
  const best = await topByScore(crawlDb, numberOption(options, 'top') ?? 0, numberOption(options, 'min') ?? Number.NEGATIVE_INFINITY, choice)
  for (const datum of best) {
    context.stdout.write(flag(options, 'json') ? datumToLine(datum) : `${formatJavaFloat(datum.score)}\t${datum.url}\n`)
  }
  return exitStatus.done
}

async function verify(crawlDb: CrawlDb, { context }: Asked): Promise<ExitStatus> {
  let findings = 0
  for await (const finding of verifyCrawlDb(crawlDb)) {
    findings++
    printJson(context, finding)
  }
  context.log.info({ records: crawlDb.count, findings }, 'verified')
  return findings === 0 ? exitStatus.done : exitStatus.faults
}
