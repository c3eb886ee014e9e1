import { type Command, Option } from 'commander'
import { type DedupGroup, dedupGroups } from '../../lib/crawldb/rules/dedup-groups.js'
import { type DedupCriterion, parseCompareOrder } from '../../lib/crawldb/rules/dedup-rule.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { formatLine } from '../../lib/record/line-format.js'
import { dedup } from '../dedup.js'
import { type JobContext, withJobDb } from '../job.js'
import { findNearDuplicates } from '../near-duplicates.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, numberOption, requiredArgument, textOption, wholeNumber } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .addOption(new Option('--group <group>', 'look for duplicates within').choices(dedupGroups).default('none'))
    .option('--compare-order <criteria>', 'what decides which one is kept', 'score,fetchTime,urlLength')
    .option('--canonical', 'keep the page that others of its group name as canonical')
    .option('--near <bits>', 'print clusters of pages whose SimHashes differ in at most this many bits; mark nothing', wholeNumber)
    .addHelpText('after', '\nExample:\n  millrace dedup crawl --compare-order httpsOverHttp,score,fetchTime,urlLength')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'dedup')
  const order = parseCompareOrder(textOption(options, 'compareOrder') ?? '')
  const group = options.group as DedupGroup // commander lets no other choice through
  const near = numberOption(options, 'near')
  if (near !== undefined) return printClusters(context, job, near, group, order)
  const report = await withJobDb(job, crawlDb => dedup(crawlDb, { context: job, group, order, respectsCanonical: flag(options, 'canonical') }))
  printJson(context, report)
  return exitStatus.done
}

/** A line for each cluster, keyed by the page that the compare order would keep: how many, and the others with their distance to it. */
async function printClusters(
  context: CommandContext,
  job: JobContext,
  distance: number,
  group: DedupGroup,
  order: readonly DedupCriterion[],
): Promise<ExitStatus> {
  if (distance > 15) throw new CrawlError('USAGE', `--near ${distance}: 0 to 15 bits are wanted`)
  const clusters = await withJobDb(job, crawlDb => findNearDuplicates(crawlDb, { distance, group, order, signal: context.signal }))
  if (clusters === undefined) context.log.warn({}, 'no page has a SimHash: crawl with -D db.signature.class=SimHash')
  for (const [first, ...others] of clusters ?? []) {
    if (first === undefined) continue
    const near = others.map(({ page, distance: bits }) => ({ url: page.url, distance: bits }))
    await printLine(context, formatLine(first.page.url, { pages: near.length + 1, near }))
  }
  return clusters === undefined || clusters.length === 0 ? exitStatus.nothing : exitStatus.done
}
