import type { Command } from 'commander'
import { createUrlRules } from '../crawl-url-rules.js'
import { generate } from '../generate.js'
import { withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { numberOption, realNumber, requiredArgument, textOption, wholeNumber } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--top-n <n>', 'URLs in the list at most', wholeNumber)
    .option('--max-per-host <n>', 'URLs of one host (or domain) at most', wholeNumber)
    .option('--add-days <n>', 'take what will be due within n days too', realNumber)
    .option('--min-score <n>', 'least sort value', realNumber)
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--no-filter', 'do not ask the URL filters')
    .addHelpText('after', '\nExample:\n  millrace generate crawl --top-n 1000')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const job = jobContextOf(context, folder, 'generate', {
    'generate.max.count': numberOption(options, 'maxPerHost'),
    'generate.min.score': numberOption(options, 'minScore'),
    'urlfilter.regex.file': textOption(options, 'rules'),
  })
  const rules = createUrlRules(job.config, { isFiltering: options.filter !== false, isNormalizing: true, trapCounters: job.counters })
  const report = await withJobDb(job, crawlDb =>
    generate(crawlDb, {
      context: job,
      topN: numberOption(options, 'topN'),
      addDays: numberOption(options, 'addDays'),
      accepts: url => rules.accepts(url),
    }),
  )
  if (report === undefined) {
    context.log.info(job.counters.toJSON(), 'nothing is due')
    return exitStatus.nothing
  }
  context.log.info({ items: report.items, ...job.counters.toJSON() }, 'generated')
  context.stdout.write(`${report.segment}\n`)
  return exitStatus.done
}
