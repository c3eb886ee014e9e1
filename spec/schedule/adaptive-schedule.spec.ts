import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { createSchedule, type ScheduleFiles } from '../../lib/schedule/create-schedule.js'
import type { FetchSchedule, PageChange } from '../../lib/schedule/fetch-schedule.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { dbDatum } from '../support/db-datum.js'

const day = 86_400
const fetchMs = Date.UTC(2026, 5, 1)

function adaptive(values: Readonly<Record<string, unknown>> = {}, files: ScheduleFiles = {}): FetchSchedule {
  return createSchedule(configWith({ 'db.fetch.schedule.class': 'adaptive', ...values }).schedule, files)
}

interface AdaptiveCase {
  readonly interval: number
  readonly change: PageChange
  /** Seconds before the fetch at which the page last changed, as the record tells. */
  readonly modifiedAgo: number
  readonly nextInterval: number
  /** Seconds from the fetch to the next. */
  readonly delay: number
  readonly why: string
  readonly values?: Readonly<Record<string, unknown>>
  readonly fixedInterval?: string
}

const cases: AdaptiveCase[] = [
  {
    interval: 1000,
    change: 'modified',
    modifiedAgo: 500,
    nextInterval: 800,
    delay: 800,
    why: '1000·(1−0.2); a change now leaves nothing to move to',
  },
  { interval: 1000, change: 'notmodified', modifiedAgo: 500, nextInterval: 1400, delay: 1250, why: '1000·1.4, moved by 0.3·500' },
  { interval: 1000, change: 'unknown', modifiedAgo: 500, nextInterval: 1000, delay: 850, why: 'interval kept, moved by 0.3·500' },
  { interval: 1000, change: 'notmodified', modifiedAgo: 5000, nextInterval: 5000, delay: 3500, why: 'unchanged for longer: 5000, moved by 0.3·5000' },
  {
    interval: 1000,
    change: 'notmodified',
    modifiedAgo: 5000,
    nextInterval: 1400,
    delay: 1400,
    why: 'without sync_delta only the rate counts',
    values: { 'db.fetch.schedule.adaptive.sync_delta': false },
  },
  {
    interval: 1000,
    change: 'notmodified',
    modifiedAgo: 100_000,
    nextInterval: 2000,
    delay: 1400,
    why: 'at most 2000, and the move is 0.3 of that, not of 100000 (NUTCH-1564)',
    values: { 'db.fetch.schedule.adaptive.max_interval': 2000 },
  },
  {
    interval: 70,
    change: 'modified',
    modifiedAgo: 0,
    nextInterval: 60,
    delay: 60,
    why: '56 is below the shortest, 60',
  },
  {
    interval: 100,
    change: 'unknown',
    modifiedAgo: 100,
    nextInterval: 100,
    delay: 90,
    why: 'a move by all of it stops at the shortest interval',
    values: { 'db.fetch.schedule.adaptive.sync_delta_rate': 1, 'db.fetch.schedule.adaptive.min_interval': 90 },
  },
  { interval: 1000, change: 'notmodified', modifiedAgo: -400, nextInterval: 1400, delay: 1400, why: 'changed in the future: a clock went back' },
  { interval: 1000, change: 'notmodified', modifiedAgo: 500, nextInterval: 77, delay: 77, why: 'fixed by the seed list', fixedInterval: '77.0' },
  { interval: 0, change: 'modified', modifiedAgo: 0, nextInterval: 24 * day, delay: 24 * day, why: 'no interval is the default: 30 days·0.8' },
]

describe('the adaptive schedule', () => {
  for (const { interval, change, modifiedAgo, nextInterval, delay, why, values, fixedInterval } of cases)
    it(`times a ${change} page: ${why}`, () => {
      const modifiedMs = fetchMs - modifiedAgo * 1000
      const datum = adaptive(values).onFetched({
        datum: dbDatum({ fetchIntervalS: interval, metadata: fixedInterval === undefined ? {} : { fixedInterval } }),
        previousModifiedMs: modifiedMs,
        fetchTimeMs: fetchMs,
        modifiedTimeMs: modifiedMs,
        change,
      })
      expect(datum.fetchIntervalS).to.equal(nextInterval)
      expect((datum.fetchTimeMs - fetchMs) / 1000).to.equal(delay)
      expect(datum.modifiedTimeMs).to.equal(change === 'modified' ? fetchMs : modifiedMs)
      expect(datum.retries).to.equal(0)
    })

  it('takes the time of the first fetch for the time of change', () => {
    const datum = adaptive().onFetched({ datum: dbDatum(), previousModifiedMs: 0, fetchTimeMs: fetchMs, modifiedTimeMs: 0, change: 'unknown' })
    expect(datum).to.include({ modifiedTimeMs: fetchMs, fetchIntervalS: 30 * day, fetchTimeMs: fetchMs + 30 * day * 1000 })
  })

  it('does not fetch in every cycle what has not changed for a month (R037)', () => {
    const fetchTimeMs = Date.parse('2013-04-17T23:23:51Z')
    const modifiedMs = Date.parse('2013-03-19T00:07:42Z')
    const datum = adaptive({
      'db.fetch.interval.max': 604_800,
      'db.fetch.schedule.adaptive.min_interval': 86_400,
      'db.fetch.schedule.adaptive.max_interval': 604_800,
    }).onFetched({
      datum: dbDatum({ status: 'db_fetched', fetchIntervalS: 604_800 }),
      previousModifiedMs: modifiedMs,
      fetchTimeMs,
      modifiedTimeMs: modifiedMs,
      change: 'notmodified',
    })
    expect(datum.fetchTimeMs).to.be.within(fetchTimeMs + 86_400_000, Date.parse('2013-04-24T23:23:51Z'))
    expect(datum.fetchIntervalS).to.be.within(86_400, 604_800)
    expect(datum.modifiedTimeMs).to.equal(modifiedMs)
  })

  describe('with intervals by host', () => {
    const hostIntervals = { name: 'hosts.txt', text: '# host min max\nfast.example 100 200\nslow.example default 5000\n' }
    const schedule = adaptive({ 'db.fetch.schedule.adaptive.max_interval': 10_000 }, { hostIntervals })
    for (const { url, change, expected } of [
      { url: 'http://fast.example/x', change: 'modified', expected: 200 },
      { url: 'http://slow.example/x', change: 'notmodified', expected: 5000 },
      { url: 'http://www.slow.example/x', change: 'notmodified', expected: 5600 },
    ] as const)
      it(`keeps ${url} at ${expected} s`, () => {
        const datum = schedule.onFetched({
          datum: dbDatum({ url, fetchIntervalS: 4000 }),
          previousModifiedMs: fetchMs,
          fetchTimeMs: fetchMs,
          modifiedTimeMs: fetchMs,
          change,
        })
        expect(datum.fetchIntervalS).to.equal(expected)
      })

    for (const { line, reason } of [
      { line: 'a.example 100', reason: 'hosts.txt:1: want host, min and max interval' },
      { line: 'a.example 10 200', reason: 'hosts.txt:1: min interval 10 of a.example is no number of seconds from 60 on' },
      { line: 'a.example 100 99999999', reason: 'max interval 99999999 of a.example' },
      { line: 'a.example x 200', reason: 'min interval x of a.example' },
      { line: 'a.example 200 100', reason: 'longer than its max' },
    ])
      it(`refuses "${line}"`, () => {
        expect(() => adaptive({}, { hostIntervals: { name: 'hosts.txt', text: line } })).to.throw(reason)
      })
  })

  describe('by MIME type', () => {
    const fetch = (contentType: string, change: PageChange, files: ScheduleFiles = {}): number =>
      createSchedule(configWith({ 'db.fetch.schedule.class': 'org.apache.nutch.crawl.MimeAdaptiveFetchSchedule' }).schedule, files).onFetched({
        datum: dbDatum({ fetchIntervalS: 1000, metadata: { 'Content-Type': contentType } }),
        previousModifiedMs: fetchMs,
        fetchTimeMs: fetchMs,
        modifiedTimeMs: fetchMs,
        change,
      }).fetchIntervalS
    for (const { contentType, change, expected } of [
      { contentType: 'text/html', change: 'notmodified', expected: 1200 },
      { contentType: 'text/html; charset=utf-8', change: 'modified', expected: 800 },
      { contentType: 'application/pdf', change: 'notmodified', expected: 1100 },
      { contentType: 'Application/PDF', change: 'modified', expected: 600 },
      { contentType: 'image/png', change: 'notmodified', expected: 1400 },
    ] as const)
      it(`makes 1000 s of ${change} ${contentType} ${expected}`, () => expect(fetch(contentType, change)).to.equal(expected))

    it('reads a table of its own', () => {
      expect(fetch('image/png', 'modified', { mimeRates: { name: 'mime.txt', text: 'image/png\t1\t0.5' } })).to.equal(500)
    })
    it('refuses a rate that would make an interval negative', () => {
      expect(() => fetch('a/b', 'modified', { mimeRates: { name: 'mime.txt', text: 'a/b 0.2 1.5' } })).to.throw('mime.txt:1: dec rate 1.5 of a/b')
    })
  })

  describeCorpus('on the facts of TestAdaptiveFetchSchedule and TestCrawlDbStates', () => {
    for (const fact of readCorpus<OpsCase>('nutch/crawldb-ops.json')?.cases ?? []) {
      if (fact.op === 'adaptiveSchedule') it(fact.id, () => checkInterval(fact))
      if (fact.op === 'adaptiveScheduleBounds') it(fact.id, () => checkBounds(fact))
    }
  })
})

interface IntervalFact {
  readonly op: 'adaptiveSchedule'
  readonly id: string
  readonly interval: number
  readonly incRate: number
  readonly decRate: number
  readonly changed: PageChange
  readonly expectedInterval: number
}
interface BoundsFact {
  readonly op: 'adaptiveScheduleBounds'
  readonly id: string
  readonly syncDeltaRate: number
  readonly intervalDefaultDays: number
  readonly minIntervalDays: number
  readonly maxIntervalDays: number
  readonly intervalMaxDays: number
  readonly modifiedDaysAgo: number
  readonly changed: PageChange
  readonly expectedDelaySecondsMin: number
  readonly expectedDelaySecondsMax: number
}
type OpsCase = IntervalFact | BoundsFact | { readonly op: 'other' }

function checkInterval(fact: IntervalFact): void {
  const schedule = adaptive({
    'db.fetch.schedule.adaptive.inc_rate': fact.incRate,
    'db.fetch.schedule.adaptive.dec_rate': fact.decRate,
    'db.fetch.schedule.adaptive.min_interval': 1,
  })
  const page = { previousModifiedMs: fetchMs, fetchTimeMs: fetchMs, modifiedTimeMs: fetchMs, change: fact.changed }
  expect(schedule.onFetched({ datum: dbDatum({ fetchIntervalS: fact.interval }), ...page }).fetchIntervalS).to.equal(fact.expectedInterval)
}

function checkBounds(fact: BoundsFact): void {
  const schedule = adaptive({
    'db.fetch.schedule.adaptive.sync_delta_rate': fact.syncDeltaRate,
    'db.fetch.interval.default': fact.intervalDefaultDays * day,
    'db.fetch.schedule.adaptive.min_interval': fact.minIntervalDays * day,
    'db.fetch.schedule.adaptive.max_interval': fact.maxIntervalDays * day,
    'db.fetch.interval.max': fact.intervalMaxDays * day,
  })
  const modifiedMs = fetchMs - fact.modifiedDaysAgo * day * 1000
  const { fetchTimeMs } = schedule.onFetched({
    datum: schedule.initialize(dbDatum(), fetchMs),
    previousModifiedMs: modifiedMs,
    fetchTimeMs: fetchMs,
    modifiedTimeMs: modifiedMs,
    change: fact.changed,
  })
  expect((fetchTimeMs - fetchMs) / 1000).to.be.within(fact.expectedDelaySecondsMin, fact.expectedDelaySecondsMax)
}
