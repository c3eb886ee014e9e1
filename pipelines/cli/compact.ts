import type { Command } from 'commander'
import { compact } from '../compact.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--rebuild-indexes', 'make the indexes and counts of the CrawlDb anew from its records; a scan')
    .option('--rewrite', 'write every record anew in the codec version of this build, as after an upgrade; a scan')
    .addHelpText(
      'after',
      '\nGives back the room of what was deleted or replaced. Prints sizes before and after.\n\nExample:\n  millrace compact crawl',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'compact')
  printJson(context, await compact({ context: job, rebuildsIndexes: flag(options, 'rebuildIndexes'), rewritesRecords: flag(options, 'rewrite') }))
  return exitStatus.done
}
