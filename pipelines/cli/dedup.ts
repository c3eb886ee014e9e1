import { type Command, Option } from 'commander'
import { parseCompareOrder } from '../../lib/crawldb/rules/dedup-rule.js'
import { type DedupGroup, dedup } from '../dedup.js'
import { withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .addOption(new Option('--group <group>', 'look for duplicates within').choices(['none', 'host', 'domain']).default('none'))
    .option('--compare-order <criteria>', 'what decides which one is kept', 'score,fetchTime,urlLength')
    .option('--canonical', 'keep the page that others of its group name as canonical')
    .addHelpText('after', '\nExample:\n  millrace dedup crawl --compare-order httpsOverHttp,score,fetchTime,urlLength')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'dedup')
  const order = parseCompareOrder(textOption(options, 'compareOrder') ?? '')
  const group = options.group as DedupGroup // commander lets no other choice through
  const report = await withJobDb(job, crawlDb => dedup(crawlDb, { context: job, group, order, respectsCanonical: flag(options, 'canonical') }))
  printJson(context, report)
  return exitStatus.done
}
