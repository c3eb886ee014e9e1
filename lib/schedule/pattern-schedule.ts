import type { ScheduleConfig } from '../config/schedule-options.js'
import type { DbDatum } from '../record/records.js'
import { fixedIntervalS } from './adaptive-schedule.js'
import { DefaultSchedule } from './default-schedule.js'
import type { IntervalPatterns } from './interval-patterns.js'

/**
 * Gives a page its interval by its URL: that of the first pattern that matches, else `db.fetch.interval.content`. Looked up at each fetch, so
 * that a changed table takes effect; a `fixedInterval` from the seed list goes before it. The pages that lead to new ones are then looked at
 * every half hour, say, and what they lead to every 90 days.
 */
export class PatternSchedule extends DefaultSchedule {
  constructor(
    config: ScheduleConfig,
    private readonly patterns: IntervalPatterns,
  ) {
    super(config.maxIntervalS, config.contentIntervalS)
  }

  protected override initialIntervalS(datum: DbDatum): number {
    return fixedIntervalS(datum) ?? this.patterns.ruleOf(datum)?.intervalS ?? this.defaultIntervalS
  }

  protected override nextIntervalS(datum: DbDatum): number {
    return this.initialIntervalS(datum)
  }

  intervalRule(datum: DbDatum): string {
    if (fixedIntervalS(datum) !== undefined) return 'fixed by its seed'
    const fault = this.patterns.ownFaultOf(datum)
    const rule = this.patterns.ruleOf(datum)?.name ?? 'no pattern matches: db.fetch.interval.content'
    return fault === undefined ? rule : `${rule}; of its seed: ${fault}`
  }
}
