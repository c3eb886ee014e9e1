import type { Command } from 'commander'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { listSegments } from '../../lib/segment/segment.js'
import { type JobContext, withJobDb } from '../job.js'
import { refuseNewDbBesideSegments } from '../refuse-new-db.js'
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
  const named = names.length > 0 ? await openEndedSegments(job, names, false) : undefined
  await refuseNewDbBesideSegments(job.folder)
  const update = async (crawlDb: CrawlDb): Promise<ExitStatus> => {
    const segments = named ?? (await segmentsToApply(crawlDb, job))
    if (segments.length === 0) return exitStatus.nothing
    const report = await updatedb(crawlDb, { context: job, segments })
    printJson(context, needsSweep(crawlDb, job) ? { ...report, sweep: await sweep(crawlDb, job) } : report)
    return exitStatus.done
  }
  return withJobDb(job, update, named !== undefined || (await hasParsedSegment(job)))
}

/** Whether there is something to begin a CrawlDb with, as after freegen: updatedb makes it then (as Nutch's). */
async function hasParsedSegment({ folder }: JobContext): Promise<boolean> {
  for (const segment of await listSegments(folder.segments)) if ((await segment.state()) === 'parsed') return true
  return false
}
