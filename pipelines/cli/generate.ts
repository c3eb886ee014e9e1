import type { Command } from 'commander'
import { formatLine } from '../../lib/record/line-format.js'
import { recordTest } from '../expressions.js'
import { generate, planGenerate } from '../generate.js'
import type { GenerateJob } from '../generate-job.js'
import { type JobContext, urlRulesOf, withJobDb } from '../job.js'
import type { ListPlan } from '../planner.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { countLimit, durationMs, flag, numberOption, realNumber, requiredArgument, textOption, wholeNumber } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--top-n <n>', 'URLs in a segment at most', wholeNumber)
    .option('--max-per-host <n>', 'URLs of one host (or domain, by generate.count.mode) in a segment at most; -1 for no limit', countLimit)
    .option('--add-days <n>', 'take what will be due within n days too', realNumber)
    .option('--min-score <n>', 'least sort value', realNumber)
    .option('--expr <expression>', "only records for which it holds, such as: status == 'db_unfetched'")
    .option('--status <name>', 'only records with this status (Nutch: generate.restrict.status)')
    .option('--max-num-segments <n>', 'segments to make at most: what is over in one goes to the next', wholeNumber)
    .option('--lists <n>', 'split into n lists with no host in two of them, each a segment for a fetch process of its own', wholeNumber)
    .option('--fit <duration>', 'take of each host what politeness lets be fetched in this time, such as 2h', durationMs)
    .option('--plan', 'print how long politeness alone makes the list take, by host; lock nothing')
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--no-filter', 'do not ask the URL filters')
    .addHelpText(
      'after',
      '\nPrints the name of each segment that was made.\n\nExamples:\n  millrace generate crawl --top-n 1000\n  millrace generate crawl --fit 2h --plan',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const job = await jobContextOf(context, folder, 'generate', {
    'generate.max.count': numberOption(options, 'maxPerHost'),
    'generate.min.score': numberOption(options, 'minScore'),
    'generate.restrict.status': textOption(options, 'status'),
    'urlfilter.regex.file': textOption(options, 'rules'),
  })
  const generateJob = jobOf(job, options)
  if (flag(options, 'plan')) return printPlan(context, await withJobDb(job, crawlDb => planGenerate(crawlDb, generateJob)))
  const report = await withJobDb(job, crawlDb => generate(crawlDb, generateJob))
  if (report === undefined) {
    context.log.info(job.counters.toJSON(), 'nothing is due')
    return exitStatus.nothing
  }
  context.log.info({ items: report.items, ...job.counters.toJSON() }, 'generated')
  for (const { segment } of report.segments) context.stdout.write(`${segment}\n`)
  return exitStatus.done
}

function jobOf(job: JobContext, options: CommandOptions): GenerateJob {
  const rules = urlRulesOf(job, { isFiltering: options.filter !== false, isNormalizing: true, trapCounters: job.counters })
  const expression = textOption(options, 'expr')
  return {
    context: job,
    topN: numberOption(options, 'topN'),
    addDays: numberOption(options, 'addDays'),
    accepts: url => rules.accepts(url),
    countedForm: rules.formIn('generate_host_count'),
    dealtForm: rules.formIn('partition'),
    matches: expression === undefined ? undefined : recordTest(expression),
    maxSegments: atLeastOne(numberOption(options, 'maxNumSegments')),
    lists: atLeastOne(numberOption(options, 'lists')),
    fitMs: numberOption(options, 'fit'),
  }
}

function atLeastOne(count: number | undefined): number | undefined {
  return count === undefined ? undefined : Math.max(1, count)
}

/** A line for the whole under `*`, then one for each queue, longest first. */
async function printPlan(context: CommandContext, { items, queues, needMs }: ListPlan): Promise<ExitStatus> {
  if (items === 0) return exitStatus.nothing
  await printLine(context, formatLine('*', { items, queues: queues.length, needMs }))
  for (const { queueId, ...plan } of queues) await printLine(context, formatLine(queueId, plan))
  return exitStatus.done
}
