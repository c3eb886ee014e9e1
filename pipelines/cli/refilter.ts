import type { Command } from 'commander'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { formatLine } from '../../lib/record/line-format.js'
import { urlRulesOf, withJobDb } from '../job.js'
import { type RefilterJob, refilter, refiltered } from '../refilter.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--normalize', 'normalize URLs too; records that come to one URL are merged')
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--dry-run', 'print each record that would be dropped or moved, and counts by rule; change nothing')
    .addHelpText(
      'after',
      '\nA scan of the db. Records stay where a rule fails instead of deciding.\n\nExample:\n  millrace refilter crawl --rules rules.txt --dry-run',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const flags = { 'urlfilter.regex.file': textOption(options, 'rules') }
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'refilter', flags)
  const rules = urlRulesOf(job)
  const refilterJob: RefilterJob = { context: job, rules, isNormalizing: flag(options, 'normalize') }
  return withJobDb(job, async crawlDb => {
    if (flag(options, 'dryRun')) return preview(crawlDb, context, refilterJob)
    printJson(context, await refilter(crawlDb, refilterJob))
    return exitStatus.done
  })
}

/** A line for each record that would not stay, then one for each rule, keyed `*`. */
async function preview(crawlDb: CrawlDb, context: CommandContext, job: RefilterJob): Promise<ExitStatus> {
  const byRule = new Map<string, number>()
  for await (const { datum, made } of refiltered(crawlDb, job)) {
    if (made.action === 'drop') {
      const { rule, file, line } = made.by
      const name = JSON.stringify({ action: 'drop', rule, file, line })
      byRule.set(name, (byRule.get(name) ?? 0) + 1)
      await printLine(context, formatLine(datum.url, { action: 'drop', rule, file, line }))
    } else if (made.action === 'move') {
      const step = job.rules.normalizers.explain(datum.url, 'crawldb').steps.at(-1)
      const { rule = '', file = '', line = 0 } = step ?? {}
      const name = JSON.stringify({ action: 'move', rule, file, line })
      byRule.set(name, (byRule.get(name) ?? 0) + 1)
      const isMet = (await crawlDb.get(made.to)) !== undefined
      await printLine(context, formatLine(datum.url, { action: 'move', to: made.to, merges: isMet, rule, file, line }))
    }
  }
  for (const [name, records] of byRule) await printLine(context, `*\t${name.slice(0, -1)},"records":${records}}\n`)
  return exitStatus.done
}
