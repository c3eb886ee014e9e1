import type { ScheduleConfig } from '../config/schedule-options.js'
import type { Url } from '../record/url.js'
import { hostOf } from '../url/hosts.js'
import { type RuleText, readRuleLines } from './rule-lines.js'

/** Shortest and longest interval of a page, seconds. */
export interface IntervalBounds {
  readonly minS: number
  readonly maxS: number
}

export interface HostIntervals {
  boundsOf(url: Url): IntervalBounds
}

type HostRule = IntervalBounds & { readonly host: string }

/** The bounds of the adaptive schedules: those of the options, and for single hosts those of a file with `host min max` a line, seconds;
 *  `0` or `default` takes the option's (Nutch's adaptive-host-specific-intervals.txt).
 *  @throws {CrawlError} CONFIG_INVALID for a line without three parts, or with bounds outside of those of the options */
export function createHostIntervals(config: ScheduleConfig, file?: RuleText): HostIntervals {
  const general: IntervalBounds = {
    minS: Math.max(1, config.adaptiveMinIntervalS),
    maxS: Math.max(1, config.adaptiveMinIntervalS, config.adaptiveMaxIntervalS),
  }
  const hosts = new Map<string, IntervalBounds>()
  if (file !== undefined) for (const rule of readRuleLines(file, line => readHostRule(line, general))) hosts.set(rule.host, rule)
  return { boundsOf: url => (hosts.size === 0 ? general : (hosts.get(hostOf(url)) ?? general)) }
}

function readHostRule(line: string, general: IntervalBounds): HostRule | string {
  const [host, min, max, ...more] = line.split(/[\s,]+/)
  if (host === undefined || min === undefined || max === undefined || more.length > 0) return 'want host, min and max interval'
  const minS = readSeconds(min, general.minS)
  const maxS = readSeconds(max, general.maxS)
  if (!(minS >= general.minS)) return `min interval ${min} of ${host} is no number of seconds from ${general.minS} on`
  if (!(maxS <= general.maxS)) return `max interval ${max} of ${host} is no number of seconds up to ${general.maxS}`
  if (minS > maxS) return `min interval ${min} of ${host} is longer than its max interval ${max}`
  return { host: host.toLowerCase(), minS, maxS }
}

function readSeconds(text: string, byDefault: number): number {
  return text === 'default' || Number(text) === 0 ? byDefault : Number(text)
}
