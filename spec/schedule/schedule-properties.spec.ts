import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import type { DbDatum } from '../../lib/record/records.js'
import { createSchedule } from '../../lib/schedule/create-schedule.js'
import type { FetchSchedule, PageChange } from '../../lib/schedule/fetch-schedule.js'
import { dbDatum } from '../support/db-datum.js'

type Step = {
  readonly kind: 'fetched' | 'retry' | 'gone' | 'force'
  readonly change: PageChange
  readonly waitMs: number
  readonly modifiedMs: number
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('fetched', 'fetched', 'fetched', 'retry', 'gone', 'force'),
  change: fc.constantFrom<PageChange>('modified', 'notmodified', 'unknown'),
  waitMs: fc.oneof(fc.integer({ min: -100_000_000, max: 10_000_000_000 }), fc.constant(0), fc.constant(250_000_000_000_000)),
  modifiedMs: fc.oneof(fc.double({ noNaN: true, min: -1e15, max: 1e16 }), fc.constant(0), fc.constant(Number.NaN)),
})
const start = fc.record({
  fetchTimeMs: fc.double({ noNaN: true, min: 0, max: 8.64e15 }),
  fetchIntervalS: fc.oneof(fc.integer({ min: -5, max: 2_147_483_647 }), fc.double(), fc.constant(0)),
  fixedInterval: fc.constantFrom(undefined, undefined, '77.0', 'NaN', '-3', '1e300'),
  hasSync: fc.boolean(),
})

function applied(schedule: FetchSchedule, datum: DbDatum, { kind, change, modifiedMs }: Step, fetchTimeMs: number): DbDatum {
  switch (kind) {
    case 'fetched':
      return schedule.onFetched({ datum, previousModifiedMs: datum.modifiedTimeMs, fetchTimeMs, modifiedTimeMs: modifiedMs, change })
    case 'retry':
      return schedule.onRetry(datum, fetchTimeMs)
    case 'gone':
      return schedule.onGone(datum, fetchTimeMs)
    case 'force':
      return schedule.forceRefetch(datum, true, fetchTimeMs)
  }
}

describe('every schedule', () => {
  for (const className of ['default', 'adaptive', 'mime-adaptive', 'pattern'])
    it(`keeps times and intervals finite and the next fetch after the last, in 10000 random histories (${className})`, () => {
      const compilePattern = () => () => true
      const scheduleWith = (hasSync: boolean): FetchSchedule =>
        createSchedule(configWith({ 'db.fetch.schedule.class': className, 'db.fetch.schedule.adaptive.sync_delta': hasSync }).schedule, {
          compilePattern,
        })
      const schedules = { true: scheduleWith(true), false: scheduleWith(false) }
      fc.assert(
        fc.property(start, fc.array(step, { minLength: 1, maxLength: 8 }), ({ fixedInterval, hasSync, ...times }, steps) => {
          let datum = dbDatum({ ...times, metadata: fixedInterval === undefined ? {} : { fixedInterval } })
          let clockMs = Date.UTC(2026, 0, 1)
          for (const next of steps) {
            clockMs = Math.max(0, clockMs + next.waitMs)
            datum = applied(schedules[`${hasSync}`], datum, next, clockMs)
            expectSane(datum, next.kind === 'force' ? clockMs - 1 : clockMs)
          }
        }),
        { numRuns: 10_000 },
      )
    }).timeout(20_000)
})

function expectSane(datum: DbDatum, fetchedMs: number): void {
  if (!(Number.isSafeInteger(datum.fetchTimeMs) && datum.fetchTimeMs > fetchedMs && datum.fetchTimeMs <= 8.64e15))
    expect.fail(`time ${datum.fetchTimeMs}`)
  if (!(Number.isInteger(datum.fetchIntervalS) && datum.fetchIntervalS >= 1 && datum.fetchIntervalS <= 2_147_483_647))
    expect.fail(`interval ${datum.fetchIntervalS}`)
  if (!(Number.isSafeInteger(datum.modifiedTimeMs) && datum.modifiedTimeMs >= 0)) expect.fail(`modified ${datum.modifiedTimeMs}`)
}
