import type { Command } from 'commander'
import { withJobDb } from '../job.js'
import { needsSweep, sweep } from '../sweep.js'
import { segmentsToApply, updatedb } from '../updatedb.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, openEndedSegments, printJson } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[segment...]', 'segments to merge; without one, all that were parsed and not merged')
    .option('--no-additions', 'add no URL that the db does not hold (Nutch: -noAdditions)')
    .option('--normalize', 'normalize the targets of links (crawldb.url.normalizers)')
    .option('--filter', 'delete touched records that the URL filters reject (crawldb.url.filters)')
    .option('--rules <file>', 'with --filter: URL filter rules (Nutch: urlfilter.regex.file)')
    .addHelpText('after', '\nExample:\n  millrace updatedb crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, names] = [requiredArgument(args, 0, 'dir'), args.slice(1)]
  const job = await jobContextOf(context, folder, 'updatedb', {
    'db.update.additions.allowed': options.additions === false ? false : undefined,
    'crawldb.url.normalizers': flag(options, 'normalize') || undefined,
    'crawldb.url.filters': flag(options, 'filter') || undefined,
    'urlfilter.regex.file': textOption(options, 'rules'),
  })
  return withJobDb(job, async crawlDb => {
    const segments = names.length > 0 ? await openEndedSegments(job, names, false) : await segmentsToApply(crawlDb, job)
    if (segments.length === 0) return exitStatus.nothing
    const report = await updatedb(crawlDb, { context: job, segments })
    printJson(context, needsSweep(crawlDb, job) ? { ...report, sweep: await sweep(crawlDb, job) } : report)
    return exitStatus.done
  })
}
