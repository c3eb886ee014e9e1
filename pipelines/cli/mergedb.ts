import type { Command } from 'commander'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import { type JobContext, withJobDb } from '../job.js'
import { type MergeSource, mergedb, previewMergedb } from '../mergedb.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { mergeRulesOf, sourceFolders, withAll } from './merge-sources.js'
import { flag, requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder that is merged into; made if it is not there")
    .argument('<from...>', 'crawl folders whose CrawlDbs are merged into it')
    .option('--normalize', 'normalize the URLs of what is merged')
    .option('--filter', 'leave out what the URL filters reject')
    .option('--dry-run', 'say how many records are new, and change nothing')
    .addHelpText(
      'after',
      '\nScans of the CrawlDbs that are merged; the one merged into is read at their URLs only.\n\nExample:\n  millrace mergedb all crawl',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const job = await jobContextOf(context, folder, 'mergedb')
  const sources: JobContext[] = []
  for (const source of sourceFolders(folder, args.slice(1))) sources.push(await jobContextOf(context, source, 'mergedb'))
  const rules = mergeRulesOf(job, 'crawldb', options)
  const open = (source: JobContext, use: (opened: MergeSource) => Promise<ExitStatus>): Promise<ExitStatus> =>
    withJobDb(source, crawlDb => use({ folder: source.folder.root, crawlDb }))
  return withAll(sources, open, async opened => {
    if (flag(options, 'dryRun')) return preview(context, { context: job, sources: opened, keepUrl: rules.keepUrl })
    return withJobDb(
      job,
      async crawlDb => {
        printJson(context, await mergedb(crawlDb, { context: job, sources: opened, ...rules }))
        return exitStatus.done
      },
      true,
    )
  })
}

type PreviewJob = Parameters<typeof previewMergedb>[1]

async function preview(context: CommandContext, job: PreviewJob): Promise<ExitStatus> {
  const print = async (crawlDb: CrawlDb | undefined): Promise<ExitStatus> => {
    for await (const found of previewMergedb(crawlDb, job)) printJson(context, found)
    return exitStatus.done
  }
  try {
    return await withJobDb(job.context, print)
  } catch (error) {
    if (isCrawlError(error, 'DB_MISSING')) return print(undefined)
    throw error
  }
}
