import { resolve } from 'node:path'
import type { Command } from 'commander'
import { backup } from '../backup.js'
import { withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('<to>', 'folder of the copy; made, and must not hold anything')
    .addHelpText(
      'after',
      '\nThe copy can be crawled on with: to restore, move it to where the crawl was.\n\nExample:\n  millrace backup crawl crawl-backup',
    )
}

export async function run(context: CommandContext, args: readonly string[], _options: CommandOptions): Promise<ExitStatus> {
  const to = resolve(requiredArgument(args, 1, 'to'))
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'backup')
  printJson(context, { to, ...(await withJobDb(job, crawlDb => backup(crawlDb, job, to))) })
  return exitStatus.done
}
