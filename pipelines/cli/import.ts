import { type Command, Option } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { importWarc } from '../import-warc.js'
import { urlRulesOf, withJobDb } from '../job.js'
import { redirectAdmission } from '../redirect-admission.js'
import { listSeedFiles, removeSpooled } from '../seed-files.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { runImportDump } from './import-dump.js'
import { checkInputFiles } from './input-files.js'
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
    .option('--from-dump <file...>', 'what readdb --dump wrote, Nutch’s or ours: text, csv or json; folders of such files')
    .addOption(new Option('--format <form>', 'of --from-dump; told by its first line where not given').choices(['text', 'csv', 'json', 'lines']))
    .option('--time-zone <name>', 'with --from-dump: the zone that names such as CST are of')
    .option('--strict', 'with --from-dump: fail at the first record that cannot be read')
    .addHelpText('after', '\nExample:\n  millrace import crawl --warc other-crawl-00000.warc.gz\n  millrace parse crawl\n  millrace updatedb crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const named = listOption(options, 'warc')
  const isDump = listOption(options, 'fromDump').length > 0
  if ((named.length === 0) !== isDump) throw new CrawlError('USAGE', 'one of --warc FILE…, --from-dump FILE… is wanted')
  if (isDump) return runImportDump(context, requiredArgument(args, 0, 'dir'), options)
  await checkInputFiles(named)
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'import', { 'urlfilter.regex.file': textOption(options, 'rules') })
  const rules = urlRulesOf(job, { isFiltering: options.filter !== false, isNormalizing: options.normalize !== false })
  await withJobDb(job, async () => undefined, true) // updatedb wants a CrawlDb; import may be the first command of a crawl
  const files = await listSeedFiles(named, job.folder.spool) // each is read twice: a pipe is put on disk
  const reports = await importWarc({
    takesAll: flag(options, 'allCaptures'),
    files,
    segmentsFolder: job.folder.segments,
    config: job.config,
    nowMs: context.clock.nowMs(),
    admitUrl: rules.keepLink('fetcher'),
    admitRedirect: redirectAdmission(job.config.link, rules),
    counters: job.counters,
    log: context.log,
    signal: context.signal,
  }).finally(() => removeSpooled(files, job.folder.spool))
  for (const report of reports) printJson(context, report)
  context.log.info(job.counters.toJSON(), 'imported')
  return reports.length === 0 ? exitStatus.nothing : exitStatus.done
}
