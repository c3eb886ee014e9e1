import type { Decision } from '../../lib/explain/decision.js'
import { datumToJson } from '../../lib/record/datum-json.js'
import { outcomeToJson } from '../../lib/record/fetch-json.js'
import { formatJavaFloat } from '../../lib/record/java-float.js'
import type { Limit } from './explain-limits.js'
import { iso, type ScheduleExplanation, spanText } from './explain-schedule.js'
import type { ScoreExplanation } from './explain-score.js'
import type { UrlExplanation } from './explain-url.js'
import type { LastOutcome } from './last-outcome.js'
import type { RobotsExplanation } from './stored-robots.js'

/** An explanation as one JSON object: records and outcomes in the form of their lines. */
export function explanationToJson(explanation: UrlExplanation): Record<string, unknown> {
  const { record, last, ...rest } = explanation
  return {
    ...rest,
    record: record === undefined ? null : datumToJson(record),
    last: last === undefined ? null : { segment: last.segment, ...outcomeToJson(last.outcome), datum: undefined, parse: last.parse },
  }
}

/** The same for people: a heading and its lines for each part. */
export function formatExplanation(explanation: UrlExplanation): string {
  const { given, url, normalize, filter, record, robots, schedule, score, inlinks, lock, limits, queue, last, next } = explanation
  const out: string[] = [url ?? given, `next: ${next.state}${next.atMs === undefined ? '' : `, ${iso(next.atMs)}`}`, `  ${next.why}`]
  part(out, 'normalize', decisionLines(normalize, 'nothing changes it'))
  if (filter !== undefined) part(out, 'filter', decisionLines(filter, 'accepted'))
  if (robots !== undefined) part(out, 'robots.txt', robotsLines(robots))
  else if (url !== undefined) part(out, 'robots.txt', ['none is stored: it is asked for before the first fetch of its origin'])
  if (record === undefined) part(out, 'record', ['none in the CrawlDb'])
  else
    part(out, 'record', [`${record.status}, retries ${record.retries}`, ...Object.entries(record.metadata).map(([key, value]) => `${key}=${value}`)])
  if (schedule !== undefined) part(out, 'schedule', scheduleLines(schedule))
  if (score !== undefined) part(out, 'score', scoreLines(score))
  if (inlinks !== undefined) {
    const count = `${inlinks.count}${inlinks.isMore ? ' or more' : ''} in the LinkDb`
    part(out, 'inlinks', [count, ...inlinks.first.map(({ from, anchor }) => `from ${from}${anchor === '' ? '' : `: ${anchor}`}`)])
  }
  if (limits !== undefined) part(out, 'limits', limits.map(limitLine))
  if (lock !== undefined) {
    const held = lock.isHeld ? `until ${iso(lock.untilMs)}` : `ended ${iso(lock.untilMs)}`
    part(out, 'lock', [`segment ${lock.segment} (${lock.segmentState}), since ${iso(lock.sinceMs)}, ${held}`])
  }
  if (queue?.politeness !== undefined) {
    const { nextMs, delayMs, source, failures } = queue.politeness
    part(out, 'queue', [`${queue.id}: delay ${delayMs} ms (${source}), may be asked ${iso(nextMs)}, failures in a row ${failures}`])
  }
  part(out, 'last outcome', last === undefined ? ['none in the segments that are here'] : outcomeLines(last))
  return `${out.join('\n')}\n`
}

function part(out: string[], title: string, lines: readonly string[]): void {
  out.push(`${title}:`, ...lines.map(line => `  ${line}`))
}

function decisionLines({ steps, passedBy = [] }: Decision, nothing: string): string[] {
  const place = (file: string, line: number): string => (line > 0 ? `${file}:${line}` : file)
  const lines = steps.map(({ rule, file, line, before, after, reason }) => {
    const change = after === null ? `rejects ${before}` : `${before} -> ${after}`
    return `${place(file, line)} ${rule}: ${change}${reason === undefined ? '' : ` (${reason})`}`
  })
  for (const { rule, file, line } of passedBy) lines.push(`${place(file, line)} ${rule}: accepts`)
  return lines.length === 0 ? [nothing] : lines
}

function robotsLines({
  file,
  segment,
  fetchedMs,
  httpStatus,
  allowed,
  group,
  rule,
  line,
  crawlDelayMs,
  isExpired,
  reason,
}: RobotsExplanation): string[] {
  const lines = [`${file} of ${iso(fetchedMs)}, HTTP ${httpStatus ?? 'none'}, in segment ${segment}${isExpired ? '; its time is over' : ''}`]
  const why = reason ?? (rule === null ? `no rule of group ${group ?? 'none'} matches` : `line ${line}, group ${group}: ${rule}`)
  lines.push(`${allowed ? 'allowed' : 'forbidden'}: ${why}`)
  if (crawlDelayMs !== null) lines.push(`Crawl-delay ${crawlDelayMs} ms`)
  return lines
}

function scheduleLines(schedule: ScheduleExplanation): string[] {
  const { className, intervalRule, arithmetic, isDue, maxIntervalS, afterNextFetch, retries, retryMax } = schedule
  return [
    `${isDue ? 'due' : 'not due'}: ${arithmetic}`,
    `class ${className}${intervalRule === undefined ? '' : ` (${intervalRule})`}, longest interval ${spanText(maxIntervalS)}, failures in a row ${retries} of ${retryMax}`,
    ...afterNextFetch.map(
      ({ change, intervalS, dueMs, isForced }) =>
        `fetched then and ${change}: interval ${spanText(intervalS)}, due ${iso(dueMs)}${isForced ? ', anew: its interval was beyond the longest' : ''}`,
    ),
  ]
}

function scoreLines({ score, sortValue, filters, before, fromLinks, contributions, contributionCount, depth }: ScoreExplanation): string[] {
  const float = formatJavaFloat
  const lines = [`${float(score)} = ${float(before)} before + ${float(fromLinks)} of ${contributionCount} links that were merged`]
  for (const { from, score: share, segment } of contributions) lines.push(`+ ${float(share)} from ${from} (segment ${segment})`)
  lines.push(`sort value ${float(sortValue)} by ${filters.join(', ')}${depth === undefined ? '' : `, depth ${depth}`}`)
  return lines
}

function limitLine({ option, value, verdict, why }: Limit): string {
  return `${option} ${value}: ${verdict}, ${why}`
}

function outcomeLines({ segment, outcome, parse }: LastOutcome): string[] {
  const { status, protocolStatus, httpStatus, timing, fetchTimeMs, cause, causeClass, redirect, contentType } = outcome
  const http = httpStatus === undefined ? '' : `, HTTP ${httpStatus}`
  const type = contentType === undefined ? '' : `, ${contentType}`
  const lines = [
    `${status} (${protocolStatus})${http}${type}, ${iso(fetchTimeMs ?? timing.endMs)}, ${timing.endMs - timing.startMs} ms, segment ${segment}`,
  ]
  if (cause !== undefined) lines.push(`cause${causeClass === undefined ? '' : ` (${causeClass})`}: ${cause}`)
  if (redirect !== undefined) {
    const what = redirect.target ?? `${redirect.to}, not followed: ${redirect.dropped ?? 'no URL'}`
    lines.push(`${redirect.kind === 'perm' ? 'permanent' : 'temporary'} redirect by ${redirect.via} to ${what}`)
  }
  if (parse !== undefined)
    lines.push(
      `parse ${parse.status === 'parse_failed' ? 'failed' : 'done'}, ${parse.outlinks} outlinks${parse.cause === undefined ? '' : `: ${parse.cause}`}`,
    )
  return lines
}
