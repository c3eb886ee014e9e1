import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { expireSegments } from '../expire-segments.js'
import { type JobContext, withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { durationMs, flag, numberOption, requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--keep <time>', 'segments younger than this stay, such as 30d', durationMs)
    .option('--force', 'let go also segments whose pages have no newer copy')
    .option('--dry-run', 'only say what would be done')
    .addHelpText('after', '\nExample:\n  millrace expire crawl --keep 30d')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const keepMs = numberOption(options, 'keep')
  if (keepMs === undefined) throw new CrawlError('USAGE', '--keep TIME is wanted, such as 30d')
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'expire')
  const merged = await mergedNames(job)
  const verdicts = await expireSegments({
    segmentsFolder: job.folder.segments,
    spoolFolder: job.folder.spool,
    beforeMs: context.clock.nowMs() - keepMs,
    isMerged: async segment => merged.every(names => names.has(segment.name)),
    isForced: flag(options, 'force'),
    isDryRun: flag(options, 'dryRun'),
  })
  for (const verdict of verdicts) printJson(context, verdict)
  const expired = verdicts.filter(({ action }) => action === 'expired').length
  context.log.info({ segments: verdicts.length, expired }, flag(options, 'dryRun') ? 'would expire' : 'expired')
  return expired === 0 ? exitStatus.nothing : exitStatus.done
}

/** What each db of the crawl has taken in; a LinkDb counts only where there is one. */
async function mergedNames(job: JobContext): Promise<readonly ReadonlySet<string>[]> {
  const names = [new Set(await withJobDb(job, crawlDb => crawlDb.ledger.applied()))]
  const isLinkDb = await access(join(job.folder.root, 'linkdb')).then(
    () => true,
    () => false,
  )
  if (isLinkDb) names.push(new Set(await withLinkDb({ folder: job.folder.root, config: job.config.db }, linkDb => linkDb.ledger.applied())))
  return names
}
