import type { Command } from 'commander'
import { chosenRecordsOf, runChange, withChosenRecords } from './chosen-records.js'
import type { CommandContext, CommandOptions, ExitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return withChosenRecords(command.argument('<dir>', "the crawl's folder")).addHelpText(
    'after',
    '\nDeletes records of the CrawlDb; segments and the LinkDb keep what they hold. A page that is linked to comes back with the next update: rules keep it out.\n' +
      'A scan of the db, or of the range of --host or --domain; --url costs one look-up.\n\nExample:\n  millrace delete crawl --status gone --dry-run',
  )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'delete')
  return runChange(context, options, { context: job, kind: 'delete', records: chosenRecordsOf(options), change: () => undefined })
}
