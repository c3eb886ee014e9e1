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
}

/** The schedule that `db.fetch.schedule.class` names.
 *  @param compile engine for the pattern schedule's patterns. @defaultValue the platform's RegExp
 *  @throws {CrawlError} CONFIG_INVALID naming each line of `files` that cannot be used */
export function createSchedule(config: ScheduleConfig, files: ScheduleFiles = {}, compile: CompilePattern = compileRegExp): FetchSchedule {
  switch (config.className) {
    case 'default':
      return new DefaultSchedule(config.maxIntervalS, config.intervalS)
    case 'adaptive':
      return new AdaptiveSchedule(config, createHostIntervals(config, files.hostIntervals), undefined)
    case 'mime-adaptive':
      return new AdaptiveSchedule(config, createHostIntervals(config, files.hostIntervals), createMimeRates(files.mimeRates))
    case 'pattern':
      return new PatternSchedule(config, createIntervalPatterns(compile, config.intervalS, files.patterns))
    default:
      return config.className satisfies never
  }
}

function compileRegExp(pattern: string): (text: string) => boolean {
  const compiled = new RegExp(pattern)
  return text => compiled.test(text)
}
