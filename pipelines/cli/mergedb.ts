import type { Command } from 'commander'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { type JobContext, withJobDb } from '../job.js'
import { type MergeSource, mergedb } from '../mergedb.js'
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
  return withAll(sources, open, opened =>
    withJobDb(
      job,
      async crawlDb => {
        if (flag(options, 'dryRun')) return preview(crawlDb, context, opened)
        printJson(context, await mergedb(crawlDb, { context: job, sources: opened, ...rules }))
        return exitStatus.done
      },
      !flag(options, 'dryRun'),
    ),
  )
}

async function preview(crawlDb: CrawlDb, context: CommandContext, sources: readonly MergeSource[]): Promise<ExitStatus> {
  for (const source of sources) {
    let known = 0
    let records = 0
    for await (const batch of source.crawlDb.scan()) {
      records += batch.length
      known += (await crawlDb.readMany(batch.map(([key]) => key))).filter(datum => datum !== undefined).length
    }
    printJson(context, { from: source.folder, records, known, new: records - known })
  }
  return exitStatus.done
}
