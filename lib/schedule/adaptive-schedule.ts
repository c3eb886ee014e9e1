import type { ScheduleConfig } from '../config/schedule-options.js'
import { metadataKeys } from '../record/metadata.js'
import type { DbDatum } from '../record/records.js'
import { BaseSchedule } from './base-schedule.js'
import { boundedIntervalS, boundedTimeMs } from './bounds.js'
import { nextModifiedMs } from './default-schedule.js'
import type { FetchedPage } from './fetch-schedule.js'
import type { HostIntervals } from './host-intervals.js'
import type { MimeRates } from './mime-rates.js'

/**
 * Fetches what changes more often and what does not more seldom, and moves towards the time of change (Nutch's AdaptiveFetchSchedule and
 * MimeAdaptiveFetchSchedule; Cho and Garcia-Molina 2003). The offset taken off for that is a part of at most one interval, so that a page
 * unchanged for long is not due at once (NUTCH-1564).
 */
export class AdaptiveSchedule extends BaseSchedule {
  constructor(
    private readonly config: ScheduleConfig,
    private readonly hostIntervals: HostIntervals,
    private readonly mimeRates: MimeRates | undefined,
  ) {
    super(config.maxIntervalS, config.intervalS)
  }

  onFetched(page: FetchedPage): DbDatum {
    const { datum, change, previousModifiedMs } = page
    const fetchTimeMs = boundedTimeMs(page.fetchTimeMs)
    const fixedS = fixedIntervalS(datum)
    const modifiedTimeMs = nextModifiedMs(change, fetchTimeMs, page.modifiedTimeMs, previousModifiedMs)
    const { intervalS, delayS } =
      fixedS === undefined
        ? this.adapt(datum, change, fetchTimeMs - (modifiedTimeMs > 0 ? modifiedTimeMs : fetchTimeMs))
        : { intervalS: fixedS, delayS: fixedS }
    return {
      ...datum,
      retries: 0,
      fetchIntervalS: boundedIntervalS(intervalS, this.defaultIntervalS),
      fetchTimeMs: fetchTimeMs + Math.max(1000, Math.round(delayS * 1000)),
      modifiedTimeMs,
    }
  }

  /** Interval and time to the next fetch, seconds. `unchangedMs`: how long the page had been as it is when it was fetched. */
  private adapt(datum: DbDatum, change: FetchedPage['change'], unchangedMs: number): { intervalS: number; delayS: number } {
    const { incRate, decRate } = this.mimeRates?.ratesOf(datum.metadata[metadataKeys.contentType]) ?? this.config
    const { minS, maxS } = this.hostIntervals.boundsOf(datum.url)
    let intervalS = this.knownIntervalS(datum)
    if (change === 'modified') intervalS *= 1 - decRate
    else if (change === 'notmodified') intervalS *= 1 + incRate
    const unchangedS = this.config.syncDelta ? Math.max(0, unchangedMs) / 1000 : 0
    intervalS = clamp(Math.max(intervalS, unchangedS), minS, maxS)
    const offsetS = Math.min(unchangedS, intervalS) * this.config.syncDeltaRate
    return { intervalS, delayS: clamp(intervalS - offsetS, minS, maxS) }
  }
}

/** The interval that the seed list gave as fixed, or undefined. */
export function fixedIntervalS(datum: DbDatum): number | undefined {
  const text = datum.metadata[metadataKeys.fixedInterval]
  const intervalS = text === undefined ? Number.NaN : Number(text)
  return intervalS > 0 && Number.isFinite(intervalS) ? boundedIntervalS(intervalS, 1) : undefined
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
