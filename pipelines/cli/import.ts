import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { createUrlRules } from '../crawl-url-rules.js'
import { importWarc } from '../import-warc.js'
import { withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, listOption, requiredArgument, textOption } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--warc <file...>', 'WARC or ARC files, packed or not')
    .option('--all-captures', 'take each capture of a URL, and not only the newest: the second goes to a second segment, and so on')
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--no-filter', 'do not ask the URL filters')
    .option('--no-normalize', 'do not ask the URL normalizers')
    .addHelpText('after', '\nExample:\n  millrace import crawl --warc other-crawl-00000.warc.gz\n  millrace parse crawl\n  millrace updatedb crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const files = listOption(options, 'warc')
  if (files.length === 0) throw new CrawlError('USAGE', '--warc FILE… is wanted')
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'import', { 'urlfilter.regex.file': textOption(options, 'rules') })
  const rules = createUrlRules(job.config, { isFiltering: options.filter !== false, isNormalizing: options.normalize !== false, log: context.log })
  await withJobDb(job, async () => undefined, true) // updatedb wants a CrawlDb; import may be the first command of a crawl
  const reports = await importWarc({
    takesAll: flag(options, 'allCaptures'),
    files,
    segmentsFolder: job.folder.segments,
    config: job.config,
    nowMs: context.clock.nowMs(),
    admitUrl: rules.keepLink('fetcher'),
    counters: job.counters,
    log: context.log,
    signal: context.signal,
  })
  for (const report of reports) printJson(context, report)
  context.log.info(job.counters.toJSON(), 'imported')
  return reports.length === 0 ? exitStatus.nothing : exitStatus.done
}
