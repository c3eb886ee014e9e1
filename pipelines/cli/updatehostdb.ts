import type { Command } from 'commander'
import { buildHostDb, dropHostDb } from '../host-db.js'
import { withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--drop', 'take the HostDb away')
    .addHelpText(
      'after',
      '\nMakes the HostDb from the CrawlDb, a scan, and from the segments that are here. From then on every job keeps it up to date; it need not be run again.\n\n' +
        'Example:\n  millrace updatehostdb crawl',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'updatehostdb')
  return withJobDb(job, async crawlDb => {
    if (flag(options, 'drop')) await dropHostDb(crawlDb)
    else printJson(context, await buildHostDb(crawlDb, job))
    return exitStatus.done
  })
}
