import type { Command } from 'commander'
import { formatLine } from '../../lib/record/line-format.js'
import { withJobDb } from '../job.js'
import { countByProtocolStatus } from '../protocol-stats.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--json', 'JSON lines instead of text')
    .addHelpText('after', '\nA scan of the db. Text is as in Nutch: number of records, tab, HTTP status.\n\nExample:\n  millrace protocolstats crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'protocolstats')
  return withJobDb(job, async crawlDb => {
    for (const [code, count] of await countByProtocolStatus(crawlDb, context.signal))
      context.stdout.write(flag(options, 'json') ? formatLine(code, { count }) : `${count}\t${code}\n`)
    return exitStatus.done
  })
}
