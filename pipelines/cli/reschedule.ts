import { type Command, InvalidArgumentError } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import type { JobContext } from '../job.js'
import { type Rescheduling, reschedule } from '../reschedule.js'
import { chosenRecordsOf, runChange, withChosenRecords } from './chosen-records.js'
import type { CommandContext, CommandOptions, ExitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { durationMs, flag, instantMs, numberOption, requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return withChosenRecords(
    command
      .argument('<dir>', "the crawl's folder")
      .option('--due <time>', 'when they are due: now, or a time', dueTime)
      .option('--interval <duration>', 'time between two fetches, such as 30m or 90d; bare numbers are seconds', durationMs)
      .option('--fixed', 'with --interval: no schedule changes it later')
      .option('--retry-gone', 'what is gone or could not be parsed is due again at once'),
  ).addHelpText(
    'after',
    '\nA scan of the db, or of the range of --host or --domain; --url costs one look-up.\n\nExamples:\n  millrace reschedule crawl --host example.org --due now\n' +
      '  millrace reschedule crawl --expr "url =~ \'.*/news/.*\'" --interval 30m --fixed --dry-run',
  )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'reschedule')
  const intervalMs = numberOption(options, 'interval')
  const wanted: Rescheduling = {
    dueMs: options.due === 'now' ? 'now' : numberOption(options, 'due'),
    intervalS: intervalMs === undefined ? undefined : Math.round(intervalMs / 1000),
    isFixed: flag(options, 'fixed'),
    retriesGone: flag(options, 'retryGone'),
  }
  checkWanted(wanted, job)
  const records = chosenRecordsOf(options, wanted.retriesGone !== true)
  return runChange(context, options, { context: job, kind: 'reschedule', records, change: (datum, nowMs) => reschedule(datum, wanted, nowMs) })
}

/** @throws {CrawlError} USAGE for what says nothing, or what a schedule would undo */
function checkWanted({ dueMs, intervalS, isFixed, retriesGone }: Rescheduling, { schedule: { maxIntervalS }, clock }: JobContext): void {
  if (dueMs === undefined && intervalS === undefined && retriesGone !== true)
    throw new CrawlError('USAGE', 'one of --due, --interval, --retry-gone is wanted')
  if (isFixed === true && intervalS === undefined) throw new CrawlError('USAGE', '--fixed wants --interval')
  if (intervalS === 0) throw new CrawlError('USAGE', 'an interval of at least one second is wanted')
  if (intervalS !== undefined && intervalS > maxIntervalS)
    throw new CrawlError('USAGE', `--interval ${intervalS} s is longer than db.fetch.interval.max, ${maxIntervalS} s: the next fetch would cut it`)
  if (typeof dueMs === 'number' && dueMs - clock.nowMs() > maxIntervalS * 1000)
    throw new CrawlError('USAGE', `--due is further off than db.fetch.interval.max, ${maxIntervalS} s: such a time counts as due at once`)
}

function dueTime(text: string): number | 'now' {
  if (text === 'now') return 'now'
  try {
    return instantMs(text)
  } catch {
    throw new InvalidArgumentError('now, a time such as 2026-01-31T12:00:00Z, or epoch milliseconds, is wanted.')
  }
}
