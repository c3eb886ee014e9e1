import type { Command } from 'commander'
import { formatLine } from '../../lib/record/line-format.js'
import { listSegments } from '../../lib/segment/segment.js'
import { type AuditedQueue, auditPoliteness } from '../politeness.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--json', 'a line for each queue: its name, a tab, JSON')
    .addHelpText('after', '\nReads the outcomes of all segments. Exits with 4 if a host was asked too soon.\n\nExample:\n  millrace politeness crawl')
}

const titles = [
  'queue',
  'requests',
  'robots.txt',
  'other',
  'smallest gap',
  'median gap',
  'at once',
  'delay due',
  'robots.txt of',
  'its age',
  'violations',
]

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'politeness')
  const { log } = context
  const isJson = flag(options, 'json')
  const totals = { queues: 0, requests: 0, violations: 0 }
  for await (const audited of auditPoliteness(job, await listSegments(job.folder.segments))) {
    if (totals.queues++ === 0 && !isJson) await printLine(context, `${titles.join('\t')}\n`)
    totals.requests += audited.requests
    totals.violations += audited.violations
    const { queueId, ...facts } = audited
    await printLine(context, isJson ? formatLine(queueId, facts) : `${textOf(audited).join('\t')}\n`)
    for (const { url, gapMs, dueMs, source } of audited.examples) log.warn({ url, gapMs, dueMs, source }, 'asked too soon')
  }
  log.info(totals, 'politeness')
  if (totals.violations > 0) return exitStatus.faults
  return totals.requests > 0 ? exitStatus.done : exitStatus.nothing
}

function textOf(audited: AuditedQueue): string[] {
  const {
    queueId,
    requests,
    robotsRequests,
    otherRequests,
    smallestGapMs,
    medianGapMs,
    mostAtOnce,
    delays,
    robotsFetchedMs,
    robotsAgeMs,
    violations,
  } = audited
  return [
    queueId,
    String(requests),
    String(robotsRequests),
    String(otherRequests),
    seconds(smallestGapMs),
    seconds(medianGapMs),
    String(mostAtOnce),
    delays.map(({ source, leastMs, mostMs }) => `${source} ${leastMs === mostMs ? '' : `${leastMs / 1000}-`}${mostMs / 1000} s`).join(', '),
    robotsFetchedMs === undefined ? '-' : new Date(robotsFetchedMs).toISOString(),
    seconds(robotsAgeMs),
    String(violations),
  ]
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '-' : `${ms / 1000} s`
}
