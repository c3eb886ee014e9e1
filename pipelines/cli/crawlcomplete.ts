import { Argument, type Command } from 'commander'
import { formatLine } from '../../lib/record/line-format.js'
import { countByGroup, type GroupCount } from '../domain-stats.js'
import { withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .addArgument(new Argument('[by]', 'what is counted by').choices(['host', 'domain']).default('host'))
    .option('--json', 'JSON lines instead of text')
    .addHelpText(
      'after',
      '\nA scan of the db. Text is as in Nutch: number, tab, name, FETCHED or UNFETCHED.\n\nExample:\n  millrace crawlcomplete crawl domain',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'crawlcomplete')
  return withJobDb(job, async crawlDb => {
    const groups = countByGroup(crawlDb, args[1] === 'domain' ? 'domain' : 'host', context.signal)
    for await (const group of groups) await printLine(context, flag(options, 'json') ? formatJson(group) : formatText(group))
    return exitStatus.done
  })
}

function formatText({ name, fetched, urls }: GroupCount): string {
  const rows = [`${fetched}\t${name} FETCHED\n`, `${urls - fetched}\t${name} UNFETCHED\n`]
  return rows.filter(row => !row.startsWith('0\t')).join('')
}

function formatJson({ name, fetched, urls }: GroupCount): string {
  return formatLine(name, { fetched, unfetched: urls - fetched, complete: Math.round((fetched / urls) * 10_000) / 10_000 })
}
