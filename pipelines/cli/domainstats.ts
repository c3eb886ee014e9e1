import { Argument, type Command } from 'commander'
import { formatLine } from '../../lib/record/line-format.js'
import { countByGroup, type GroupCount, type GroupMode, groupModes, largestGroups } from '../domain-stats.js'
import { withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { flag, numberOption, requiredArgument, wholeNumber } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .addArgument(new Argument('[by]', 'what is counted by').choices(groupModes).default('host'))
    .option('--top <n>', 'the n largest, largest first; without it all, in the order of the db', wholeNumber)
    .option('--json', 'JSON lines with all records, not only those that were fetched')
    .addHelpText(
      'after',
      '\nA scan of the db. Text is as in Nutch: number of fetched pages, tab, name.\n\nExample:\n  millrace domainstats crawl domain --top 20',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'domainstats')
  const mode = (args[1] ?? 'host') as GroupMode // commander lets no other choice through
  const top = numberOption(options, 'top')
  return withJobDb(job, async crawlDb => {
    const groups = countByGroup(crawlDb, mode, context.signal)
    for await (const group of top === undefined ? groups : await largestGroups(groups, top)) await printLine(context, format(group, options))
    return exitStatus.done
  })
}

function format({ name, fetched, urls }: GroupCount, options: CommandOptions): string {
  if (flag(options, 'json')) return formatLine(name, { fetched, urls })
  return fetched === 0 ? '' : `${fetched}\t${name}\n`
}
