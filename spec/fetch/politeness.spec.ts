import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { afterRequest, boundedCrawlDelayMs, type QueuePoliteness } from '../../lib/fetch/politeness.js'
import type { RequestReport } from '../../lib/fetch/turns.js'

const config = (values: Readonly<Record<string, unknown>> = {}) => configWith({ 'fetcher.server.delay': 5, ...values }).fetch
const fine: RequestReport = { endMs: 1000, tookMs: 200, isException: false }
const before: QueuePoliteness = { nextMs: 0, delayMs: 5000, source: 'option', failures: 0, throttleMs: 0, isSerial: false }

describe('politeness after a request', () => {
  for (const { why, report, values, delayMs, source, had } of [
    { why: 'the option', report: {}, delayMs: 5000, source: 'option' },
    {
      why: 'the minimum delay with several connections',
      report: {},
      values: { 'fetcher.threads.per.queue': 4, 'fetcher.server.min.delay': 0.5 },
      delayMs: 500,
      source: 'option',
    },
    { why: 'Crawl-delay', report: { crawlDelayMs: 12_000 }, delayMs: 12_000, source: 'crawl-delay' },
    {
      why: 'Crawl-delay with several connections',
      report: { crawlDelayMs: 12_000 },
      values: { 'fetcher.threads.per.queue': 4 },
      delayMs: 12_000,
      source: 'crawl-delay',
    },
    { why: 'a delay that generate set', report: { hostDelayMs: 700 }, delayMs: 700, source: 'option' },
    { why: 'a first failure', report: { isException: true }, delayMs: 10_000, source: 'backoff' },
    { why: 'a fourth failure in a row', report: { isException: true }, had: { failures: 3 }, delayMs: 5000 + 40_000, source: 'backoff' },
    { why: 'a success after four failures', report: {}, had: { failures: 4 }, delayMs: 5000, source: 'option' },
    { why: 'failures that are long ago', report: { isException: true, endMs: 2_000_000 }, had: { failures: 3 }, delayMs: 10_000, source: 'backoff' },
    {
      why: '429 where no delay is kept',
      report: { isException: true, isThrottled: true },
      values: { 'fetcher.server.delay': 0 },
      delayMs: 1000,
      source: 'backoff',
    },
    { why: 'Retry-After', report: { isException: true, isThrottled: true, retryAfterMs: 60_000 }, delayMs: 60_000, source: 'retry-after' },
    {
      why: 'Retry-After shorter than the delay',
      report: { isException: true, isThrottled: true, retryAfterMs: 1000 },
      delayMs: 5000,
      source: 'retry-after',
    },
    { why: 'Retry-After of a good answer', report: { retryAfterMs: 60_000 }, delayMs: 5000, source: 'option' },
    { why: 'a factor of the response time', report: { tookMs: 4000 }, values: { 'fetcher.throttle': 'factor' }, delayMs: 20_000, source: 'throttle' },
    {
      why: 'a factor that gives less than the delay',
      report: { tookMs: 100 },
      values: { 'fetcher.throttle': 'factor' },
      delayMs: 5000,
      source: 'option',
    },
    { why: 'a factor above its limit', report: { tookMs: 100_000 }, values: { 'fetcher.throttle': 'factor' }, delayMs: 60_000, source: 'throttle' },
    {
      why: 'AutoThrottle moving half way',
      report: { tookMs: 8000 },
      values: { 'fetcher.throttle': 'auto' },
      had: { throttleMs: 12_000 },
      delayMs: 10_000,
      source: 'throttle',
    },
    {
      why: 'another request that was told to wait longer',
      report: {},
      had: { nextMs: 90_000, delayMs: 89_000, source: 'retry-after' },
      delayMs: 89_000,
      source: 'retry-after',
    },
  ] as readonly { why: string; report: Partial<RequestReport>; values?: object; delayMs: number; source: string; had?: Partial<QueuePoliteness> }[])
    it(`is ${delayMs} ms by ${why}`, () => {
      expect(afterRequest({ ...before, ...had }, { ...fine, ...report }, config({ ...values }))).to.include({ delayMs, source })
    })

  it('counts from the end of the request', () => {
    expect(afterRequest(undefined, fine, config()).nextMs).to.equal(6000)
    expect(afterRequest(undefined, fine, config(), 1).nextMs, 'by a clock that cuts off less than a millisecond').to.equal(6001)
    const undelayed = config({ 'fetcher.server.delay': 0 })
    expect(afterRequest(undefined, fine, undelayed, 1).nextMs, 'no delay').to.equal(fine.endMs)
  })

  it('makes a queue with a Crawl-delay take one request at a time', () => {
    expect(afterRequest(undefined, { ...fine, crawlDelayMs: 100 }, config()).isSerial).to.equal(true)
    expect(afterRequest(undefined, { ...fine, crawlDelayMs: 0 }, config()).isSerial).to.equal(false)
  })

  it('never asks sooner than the ordinary delay, nor than it was told before, and stays finite', () => {
    const report = fc.record({
      endMs: fc.nat(1_000_000),
      tookMs: fc.nat(100_000),
      isException: fc.boolean(),
      isThrottled: fc.boolean(),
      retryAfterMs: fc.nat(86_400_000),
    })
    fc.assert(
      fc.property(fc.array(report, { maxLength: 60 }), fc.constantFrom('off', 'factor', 'auto'), (reports, throttle) => {
        let state: QueuePoliteness | undefined
        for (const one of reports) {
          const after = afterRequest(state, one, config({ 'fetcher.throttle': throttle }))
          expect(after.nextMs).to.be.at.least(Math.max(one.endMs + 5000, state?.nextMs ?? 0))
          expect(Number.isSafeInteger(after.nextMs)).to.equal(true)
          state = after
        }
      }),
    )
  })
})

describe('Crawl-delay', () => {
  for (const { statedMs, values, kept } of [
    { statedMs: undefined, kept: undefined },
    { statedMs: 10_000, kept: 10_000 },
    { statedMs: 1000, kept: 5000 },
    { statedMs: 1000, values: { 'fetcher.min.crawl.delay': 0 }, kept: 1000 },
    { statedMs: 31_000, kept: 'tooLong' },
    { statedMs: 31_000, values: { 'fetcher.max.crawl.delay.clamp': true }, kept: 30_000 },
    { statedMs: 31_000, values: { 'fetcher.max.crawl.delay': -1 }, kept: 31_000 },
  ])
    it(`of ${statedMs} ms is kept as ${kept}${values === undefined ? '' : ` with ${JSON.stringify(values)}`}`, () =>
      expect(boundedCrawlDelayMs(statedMs, config(values))).to.equal(kept))
})
