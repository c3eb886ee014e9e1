import type { Command } from 'commander'
import { withJobDb } from '../job.js'
import { needsSweep, sweep } from '../sweep.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--gone', 'delete what is db_gone (db.update.purge.404)')
    .option('--orphans', 'delete what is db_orphan (db.update.purge.orphans)')
    .addHelpText(
      'after',
      '\nA scan of the db. Marks orphans where scoring.filter.order names orphan. updatedb does the same where these options are set in the configuration.\n\n' +
        'Example:\n  millrace sweep crawl --gone',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'sweep', {
    'db.update.purge.404': flag(options, 'gone') || undefined,
    'db.update.purge.orphans': flag(options, 'orphans') || undefined,
  })
  return withJobDb(job, async crawlDb => {
    if (!needsSweep(crawlDb, job)) return exitStatus.nothing
    printJson(context, await sweep(crawlDb, job))
    return exitStatus.done
  })
}
