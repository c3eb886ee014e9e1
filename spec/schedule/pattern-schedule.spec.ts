import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { createSchedule } from '../../lib/schedule/create-schedule.js'
import { dbDatum } from '../support/db-datum.js'

const fetchMs = Date.UTC(2026, 5, 1)
const config = configWith({
  'db.fetch.schedule.class': 'pattern',
  'db.fetch.interval.default': 1800,
  'db.fetch.interval.content': 7_776_000,
}).schedule
const compilePattern = (pattern: string) => {
  const compiled = new RegExp(pattern)
  return (text: string) => compiled.test(text)
}

describe('the schedule by pattern', () => {
  const text = '# index pages\n^http://news\\.example/list_\\d+\\.html$\n2h  /section/\n1d /section/daily/\n300\t/now\n'
  const schedule = createSchedule(config, { patterns: { name: 'intervals.txt', text }, compilePattern })

  for (const { url, metadata = {}, expected, why } of [
    { url: 'http://news.example/list_12.html', expected: 1800, why: 'a pattern without interval: the default' },
    { url: 'http://a.example/section/x', expected: 7200, why: 'hours' },
    { url: 'http://a.example/section/daily/x', expected: 7200, why: 'the first match wins' },
    { url: 'http://a.example/now', expected: 300, why: 'plain seconds' },
    { url: 'http://news.example/article/1', expected: 7_776_000, why: 'the rest: content' },
    { url: 'http://a.example/own', metadata: { 'fetchInterval.pattern': '60 /own$' }, expected: 60, why: 'a pattern from the seed list' },
    { url: 'http://a.example/own', metadata: { 'fetchInterval.pattern': '/own$' }, expected: 1800, why: 'without an interval: the default' },
    { url: 'http://a.example/now', metadata: { 'fetchInterval.pattern': '60 /own$' }, expected: 300, why: 'it does not match: the file' },
    { url: 'http://a.example/now', metadata: { 'fetchInterval.pattern': '60 /own(' }, expected: 300, why: 'it is broken: the file' },
    { url: 'http://a.example/now', metadata: { 'fetchInterval.pattern': '2w /now' }, expected: 300, why: 'its interval is none: the file' },
    { url: 'http://a.example/now', metadata: { fixedInterval: '99.0' }, expected: 99, why: 'fixed by the seed list' },
  ] as { url: string; metadata?: Record<string, string>; expected: number; why: string }[])
    it(`gives ${url} ${expected} s (${why})`, () => {
      const datum = dbDatum({ url, metadata, fetchIntervalS: 12_345 })
      expect(schedule.initialize(datum, fetchMs).fetchIntervalS).to.equal(expected)
      const page = { previousModifiedMs: 0, fetchTimeMs: fetchMs, modifiedTimeMs: 0, change: 'unknown' } as const
      expect(schedule.onFetched({ datum, ...page })).to.include({ fetchIntervalS: expected, fetchTimeMs: fetchMs + expected * 1000 })
    })

  for (const { url, metadata = {}, rule } of [
    { url: 'http://a.example/section/x', rule: '2h  /section/ of intervals.txt' },
    { url: 'http://news.example/article/1', rule: 'no pattern matches: db.fetch.interval.content' },
    { url: 'http://a.example/own', metadata: { 'fetchInterval.pattern': '60 /own$' }, rule: '60 /own$ of its seed' },
    { url: 'http://a.example/now', metadata: { fixedInterval: '99.0' }, rule: 'fixed by its seed' },
    {
      url: 'http://a.example/now',
      metadata: { 'fetchInterval.pattern': '0 /now' },
      rule: '300\t/now of intervals.txt; of its seed: interval of 0 /now is not within 1…2147483647 s',
    },
  ] as { url: string; metadata?: Record<string, string>; rule: string }[])
    it(`says what gives ${url} its interval: ${rule}`, () => expect(schedule.intervalRule?.(dbDatum({ url, metadata }))).to.equal(rule))

  for (const { line, reason } of [
    { line: '0 /x', reason: 'intervals.txt:1: interval of 0 /x is not within 1…2147483647 s' },
    { line: '99999d /x', reason: 'is not within' },
    { line: '60 /x(', reason: 'intervals.txt:1: pattern cannot be used' },
    { line: '2w /news/', reason: 'intervals.txt:1: 2w /news/ has white space in its pattern' },
    { line: '30 m /news/', reason: 'has white space in its pattern' },
  ])
    it(`refuses "${line}"`, () => {
      expect(() => createSchedule(config, { patterns: { name: 'intervals.txt', text: line }, compilePattern })).to.throw(reason)
    })

  it('names all bad lines together', () => {
    expect(() => createSchedule(config, { patterns: { name: 'p', text: '0 a\n\nb(\n' }, compilePattern }))
      .to.throw()
      .with.property('message')
      .that.matches(/p:1: .*\np:3: /)
  })

  it('wants an engine for patterns', () => {
    expect(() => createSchedule(config)).to.throw(TypeError)
  })
})
