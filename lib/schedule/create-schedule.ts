import type { ScheduleConfig } from '../config/schedule-options.js'
import { AdaptiveSchedule } from './adaptive-schedule.js'
import { DefaultSchedule } from './default-schedule.js'
import type { FetchSchedule } from './fetch-schedule.js'
import { createHostIntervals } from './host-intervals.js'
import { type CompilePattern, createIntervalPatterns } from './interval-patterns.js'
import { createMimeRates } from './mime-rates.js'
import { PatternSchedule } from './pattern-schedule.js'
import type { RuleText } from './rule-lines.js'

/** Texts of the files that the schedule options name, read by the caller; what is not given has no rules, or the shipped ones. */
export interface ScheduleFiles {
  readonly hostIntervals?: RuleText
  readonly mimeRates?: RuleText
  readonly patterns?: RuleText
  /** Engine for the patterns of the schedule by pattern, which wants one. */
  readonly compilePattern?: CompilePattern
}

/** The schedule that `db.fetch.schedule.class` names.
 *  @throws {CrawlError} CONFIG_INVALID naming each line of `files` that cannot be used
 *  @throws {TypeError} if the schedule by pattern is given no engine */
export function createSchedule(config: ScheduleConfig, files: ScheduleFiles = {}): FetchSchedule {
  switch (config.className) {
    case 'default':
      return new DefaultSchedule(config.maxIntervalS, config.intervalS)
    case 'adaptive':
      return new AdaptiveSchedule(config, createHostIntervals(config, files.hostIntervals), undefined)
    case 'mime-adaptive':
      return new AdaptiveSchedule(config, createHostIntervals(config, files.hostIntervals), createMimeRates(files.mimeRates))
    case 'pattern':
      if (files.compilePattern === undefined) throw new TypeError('the schedule by pattern wants compilePattern')
      return new PatternSchedule(config, createIntervalPatterns(files.compilePattern, config.intervalS, files.patterns))
    default:
      return config.className satisfies never
  }
}
