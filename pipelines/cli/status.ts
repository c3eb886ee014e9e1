import type { Command } from 'commander'
import { countsText, formatDuration, formatProgress, formatSlow } from '../../lib/metrics/format-status.js'
import { withJobDb } from '../job.js'
import { type CrawlStatusReport, statusOf } from '../status.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'

/** Hosts that --slow names. */
const namedHosts = 50

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--slow', 'name the hosts that are waited for, their delay and where it comes from')
    .option('--json', 'one JSON object instead of text')
    .addHelpText('after', '\nExample:\n  millrace status crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'status')
  const live = context.live?.facts(flag(options, 'slow') ? namedHosts : 0)
  const report = await withJobDb(job, crawlDb => statusOf(crawlDb, job, live))
  if (flag(options, 'json')) printJson(context, report)
  else context.stdout.write(textOf(report))
  return exitStatus.done
}

function textOf({ isRunning, pid, crawl, urls, byStatus, segments, unmerged, pendingJob }: CrawlStatusReport): string {
  const lines = [
    isRunning ? `running   process ${pid}${crawl === undefined ? '' : `, for ${formatDuration(crawl.elapsedMs)}`}` : 'running   no',
    ...(crawl === undefined ? [] : [`${isRunning ? 'now      ' : 'last run '} ${formatProgress(crawl)}`]),
    `urls      ${urls}${urls === 0 ? '' : `: ${countsText(byStatus)}`}`,
    `segments  ${segments}, ${unmerged} not merged`,
    ...(pendingJob === undefined ? [] : [`job       ${pendingJob} is under way or was cut off`]),
    ...(crawl?.queues === undefined || crawl.queues.slowest.length === 0 ? [] : ['waits for', formatSlow(crawl.queues.slowest)]),
  ]
  return `${lines.join('\n')}\n`
}
