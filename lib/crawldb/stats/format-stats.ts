import { formatJavaDate } from '../../record/java-date.js'
import { formatJavaFloat } from '../../record/java-float.js'
import { statusName } from '../../record/status.js'
import type { CrawlDbStats, Spread } from './stats-accumulator.js'

/** The rows of `readdb -stats` in Nutch's order, each `name:` TAB value LF.
 *  @param timeZone IANA name for times, which are to the minute. @defaultValue UTC */
export function formatStats(stats: CrawlDbStats, timeZone = 'UTC'): string {
  const rows = [`TOTAL urls:\t${stats.totalUrls}`]
  const { fetchIntervalS, fetchTimeMin, score } = stats
  if (fetchIntervalS !== undefined) rows.push(...intervalRows(fetchIntervalS))
  if (fetchTimeMin !== undefined) rows.push(...timeRows(fetchTimeMin, timeZone))
  rows.push(...[...stats.retries].map(([retries, count]) => `retry ${retries}:\t${count}`).sort())
  if (score !== undefined) {
    for (const [quantile, value] of score.quantiles) rows.push(`score quantile ${formatJavaFloat(quantile)}:\t${formatJavaFloat(value)}`)
    rows.push(`min score:\t${formatJavaFloat(score.min)}`, `avg score:\t${formatJavaFloat(score.avg)}`, `max score:\t${formatJavaFloat(score.max)}`)
  }
  for (const [code, count] of stats.statuses) {
    rows.push(`status ${code} (${statusName(code) ?? 'unknown'}):\t${count}`)
    for (const [host, ofHost] of hostsInOrder(stats, code)) rows.push(`   ${host} :\t${ofHost}`)
  }
  return `${rows.join('\n')}\n`
}

function intervalRows({ min, avg, max }: Spread): string[] {
  return [`shortest fetch interval:\t${daysAndTime(min)}`, `avg fetch interval:\t${daysAndTime(avg)}`, `longest fetch interval:\t${daysAndTime(max)}`]
}

function timeRows({ min, avg, max }: Spread, timeZone: string): string[] {
  const date = (minutes: number): string => formatJavaDate(minutes * 60_000, timeZone)
  return [`earliest fetch time:\t${date(min)}`, `avg of fetch times:\t${date(avg)}`, `latest fetch time:\t${date(max)}`]
}

/** Seconds as `30 days, 00:00:00`, or `01:00:00` where there is no whole day (Nutch's TimingUtil). */
function daysAndTime(totalS: number): string {
  const days = Math.floor(totalS / 86_400)
  const parts = [Math.floor(totalS / 3600) % 24, Math.floor(totalS / 60) % 60, totalS % 60]
  const time = parts.map(part => String(part).padStart(2, '0')).join(':')
  return days === 0 ? time : `${days} days, ${time}`
}

function hostsInOrder({ hostsByStatus }: CrawlDbStats, code: number): [string, number][] {
  return [...(hostsByStatus.get(code) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The same facts as JSON: the names of Nutch's REST service where it has them, numbers as numbers, times as ISO 8601. */
export function statsToJson(stats: CrawlDbStats): Record<string, unknown> {
  const { fetchIntervalS, fetchTimeMin, score } = stats
  const json: Record<string, unknown> = { totalUrls: stats.totalUrls }
  if (fetchIntervalS !== undefined) json.fetchInterval = fetchIntervalS
  if (fetchTimeMin !== undefined) json.fetchTime = mapSpread(fetchTimeMin, minutes => new Date(minutes * 60_000).toISOString())
  for (const [retries, count] of stats.retries) json[`retry ${retries}`] = count
  if (score !== undefined) {
    json.scoreQuantiles = Object.fromEntries(score.quantiles.map(([quantile, value]) => [String(quantile), shortFloat(value)]))
    Object.assign(json, { minScore: shortFloat(score.min), avgScore: shortFloat(score.avg), maxScore: shortFloat(score.max) })
  }
  json.status = Object.fromEntries([...stats.statuses].map(([code, count]) => [code, statusJson(stats, code, count)]))
  return json
}

function statusJson(stats: CrawlDbStats, code: number, count: number): Record<string, unknown> {
  const hosts = hostsInOrder(stats, code)
  return { count, statusValue: statusName(code) ?? 'unknown', ...(hosts.length === 0 ? {} : { hosts: Object.fromEntries(hosts) }) }
}

function mapSpread<T>({ min, avg, max }: Spread, map: (value: number) => T): { min: T; avg: T; max: T } {
  return { min: map(min), avg: map(avg), max: map(max) }
}

/** The number that Java prints of the float. */
function shortFloat(value: number): number {
  return Number(formatJavaFloat(value))
}
