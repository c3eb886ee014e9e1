import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { createSchedule } from '../../lib/schedule/create-schedule.js'
import type { PageChange } from '../../lib/schedule/fetch-schedule.js'
import { dbDatum } from '../support/db-datum.js'

const day = 86_400
const dayMs = 86_400_000
const fetchMs = Date.UTC(2026, 0, 10)

describe('the default schedule', () => {
  const schedule = createSchedule(configWith().schedule)

  it('starts a record due now with the default interval and no retries', () => {
    const datum = schedule.initialize(dbDatum({ retries: 2, fetchIntervalS: 5 }), fetchMs)
    expect(datum).to.include({ fetchTimeMs: fetchMs, fetchIntervalS: 30 * day, retries: 0 })
  })

  const fetches: { interval: number; change: PageChange; modified: number; previous: number; next: number; nextModified: number; why: string }[] = [
    { interval: 10 * day, change: 'unknown', modified: 0, previous: 0, next: fetchMs + 10 * dayMs, nextModified: fetchMs, why: 'first fetch' },
    {
      interval: 10 * day,
      change: 'unknown',
      modified: 5000,
      previous: 5000,
      next: fetchMs + 10 * dayMs,
      nextModified: 5000,
      why: 'nothing to compare',
    },
    { interval: 10 * day, change: 'modified', modified: 5000, previous: 5000, next: fetchMs + 10 * dayMs, nextModified: fetchMs, why: 'changed' },
    { interval: 10 * day, change: 'notmodified', modified: 7000, previous: 5000, next: fetchMs + 10 * dayMs, nextModified: 5000, why: 'unchanged' },
    { interval: 0, change: 'unknown', modified: 0, previous: 0, next: fetchMs + 30 * dayMs, nextModified: fetchMs, why: 'interval 0 is the default' },
    { interval: -7, change: 'unknown', modified: 0, previous: 0, next: fetchMs + 30 * dayMs, nextModified: fetchMs, why: 'so is a negative one' },
  ]
  for (const { interval, change, modified, previous, next, nextModified, why } of fetches)
    it(`times a ${change} page (${why})`, () => {
      const datum = schedule.onFetched({
        datum: dbDatum({ fetchIntervalS: interval, retries: 2 }),
        previousModifiedMs: previous,
        fetchTimeMs: fetchMs,
        modifiedTimeMs: modified,
        change,
      })
      expect(datum).to.include({ fetchTimeMs: next, modifiedTimeMs: nextModified, retries: 0, fetchIntervalS: (next - fetchMs) / 1000 })
    })

  it('comes back a day after a failure that may pass', () => {
    const datum = schedule.onRetry(dbDatum({ retries: 1 }), fetchMs)
    expect(datum).to.include({ fetchTimeMs: fetchMs + dayMs, retries: 2, fetchIntervalS: 30 * day })
  })

  it('never counts more retries than a byte holds', () => {
    expect(schedule.onRetry(dbDatum({ retries: 255 }), fetchMs).retries).to.equal(255)
  })

  for (const { before, after, why } of [
    { before: 30 * day, after: 45 * day, why: 'half as long again' },
    { before: 59 * day, after: 88.5 * day, why: 'still below 90 days' },
    { before: 60 * day, after: 81 * day, why: '90 days are the maximum: nine tenths of it' },
    { before: 400 * day, after: 81 * day, why: 'beyond the maximum' },
    { before: 3, after: 5, why: '4.5 s rounded' },
  ])
    it(`gives a gone page ${after} s after ${before} s (${why})`, () => {
      expect(schedule.onGone(dbDatum({ fetchIntervalS: before }), fetchMs)).to.include({
        fetchIntervalS: after,
        fetchTimeMs: fetchMs + after * 1000,
      })
    })

  it('reproduces a record of a page that robots.txt denied (dump of 2014): 30 days become 45, counted from the fetch', () => {
    const datum = schedule.onGone(dbDatum(), Date.parse('2014-06-04T17:00:05+08:00'))
    expect(datum).to.include({ fetchTimeMs: Date.parse('2014-07-19T17:00:05+08:00'), fetchIntervalS: 3_888_000 })
  })

  describe('a forced re-fetch', () => {
    const known = dbDatum({
      status: 'db_notmodified',
      fetchTimeMs: fetchMs + 95 * dayMs,
      fetchIntervalS: 100 * day,
      modifiedTimeMs: 9,
      retries: 1,
      signature: new Uint8Array([1]),
      metadata: { ETag: '"x"', 'Last-Modified': 'y', k: 'v' },
    })

    it('forgets content, validators and status, and cuts the interval to nine tenths of the maximum', () => {
      const datum = schedule.forceRefetch(known, true, fetchMs)
      expect(datum).to.deep.equal(dbDatum({ fetchTimeMs: fetchMs, fetchIntervalS: 81 * day, metadata: { k: 'v' } }))
    })

    it('waits for the time it has, but not beyond the maximum, which would make it due at once', () => {
      expect(schedule.forceRefetch(known, false, fetchMs).fetchTimeMs).to.equal(fetchMs + 90 * dayMs)
      expect(schedule.forceRefetch({ ...known, fetchTimeMs: fetchMs + 5 }, false, fetchMs).fetchTimeMs).to.equal(fetchMs + 5)
    })

    it('keeps an interval below the maximum', () => {
      expect(schedule.forceRefetch({ ...known, fetchIntervalS: 7 }, true, fetchMs).fetchIntervalS).to.equal(7)
    })
  })

  describe('what is due', () => {
    const year9999 = Date.UTC(9999, 0, 1)
    for (const { fetchTimeMs, isDue, why } of [
      { fetchTimeMs: fetchMs, isDue: true, why: 'now' },
      { fetchTimeMs: fetchMs - 1, isDue: true, why: 'before' },
      { fetchTimeMs: fetchMs + 1, isDue: false, why: 'a millisecond ahead' },
      { fetchTimeMs: fetchMs + 90 * dayMs, isDue: false, why: 'exactly the maximum ahead' },
      { fetchTimeMs: fetchMs + 90 * dayMs + 1, isDue: true, why: 'more than the maximum ahead' },
      { fetchTimeMs: year9999, isDue: true, why: 'a wrong clock' },
    ])
      it(`${isDue ? 'is' : 'is not'} due: ${why}`, () => {
        expect(schedule.shouldFetch(dbDatum({ fetchTimeMs }), fetchMs)).to.equal(isDue)
      })

    it('goes into a list as it is', () => {
      const datum = dbDatum({ fetchTimeMs: fetchMs, fetchIntervalS: 400 * day })
      expect(schedule.asDue(datum, fetchMs)).to.equal(datum)
    })

    it('is brought back to now where its time was beyond the maximum', () => {
      expect(schedule.asDue(dbDatum({ fetchTimeMs: year9999, fetchIntervalS: 400 * day }), fetchMs)).to.include({
        fetchTimeMs: fetchMs,
        fetchIntervalS: 81 * day,
      })
      expect(schedule.asDue(dbDatum({ fetchTimeMs: year9999, fetchIntervalS: 7 }), fetchMs).fetchIntervalS).to.equal(7)
    })
  })
})
