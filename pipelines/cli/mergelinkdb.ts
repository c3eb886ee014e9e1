import type { Command } from 'commander'
import type { LinkDb } from '../../lib/linkdb/link-db.js'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { mergelinkdb, previewMergelinkdb } from '../mergelinkdb.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { mergeRulesOf, sourceFolders, withAll } from './merge-sources.js'
import { flag, requiredArgument } from './option-values.js'

interface Source {
  readonly folder: string
  readonly linkDb: LinkDb
}

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder that is merged into; made if it is not there")
    .argument('<from...>', 'crawl folders whose LinkDbs are merged into it')
    .option('--normalize', 'normalize the URLs of what is merged')
    .option('--filter', 'leave out what the URL filters reject')
    .option('--dry-run', 'say how many pages have links, and change nothing')
    .addHelpText(
      'after',
      '\nScans of the LinkDbs that are merged; the one merged into is read at their pages only.\n\nExample:\n  millrace mergelinkdb all crawl',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const job = await jobContextOf(context, folder, 'mergelinkdb')
  const sources = sourceFolders(folder, args.slice(1))
  const rules = mergeRulesOf(job, 'linkdb', options)
  const open = (source: string, use: (opened: Source) => Promise<ExitStatus>): Promise<ExitStatus> =>
    withLinkDb({ folder: source, config: job.config.db }, linkDb => use({ folder: source, linkDb }))
  return withAll(sources, open, async opened => {
    if (flag(options, 'dryRun')) {
      for await (const found of previewMergelinkdb({ context: job, sources: opened, keepUrl: rules.keepUrl })) printJson(context, found)
      return exitStatus.done
    }
    return withLinkDb({ folder, config: job.config.db, isCreating: true }, async linkDb => {
      printJson(context, await mergelinkdb(linkDb, { context: job, sources: opened, ...rules }))
      return exitStatus.done
    })
  })
}
