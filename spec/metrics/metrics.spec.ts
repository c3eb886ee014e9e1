import { expect } from 'chai'
import { CrawlStatus } from '../../lib/metrics/crawl-status.js'
import { formatBytes, formatDuration, formatProgress, formatSlow } from '../../lib/metrics/format-status.js'
import { createRegistry, serveMetrics } from '../../lib/metrics/prometheus.js'
import { RateWindow } from '../../lib/metrics/rate-window.js'
import type { FetchedPage } from '../../lib/record/exchange.js'
import type { FetchStatus } from '../../lib/record/status.js'
import { dbDatum } from '../support/db-datum.js'

function page(status: FetchStatus, causeClass?: string): FetchedPage {
  const datum = dbDatum()
  const outcome = {
    url: datum.url,
    status,
    protocolStatus: 'success',
    datum,
    timing: { startMs: 0, endMs: 1 },
    metadata: {},
    ...(causeClass === undefined ? {} : { causeClass }),
  } as const
  const exchange = {
    kind: 'page',
    url: datum.url,
    startMs: 0,
    endMs: 1,
    protocol: 'http/1.1',
    requestHead: Buffer.alloc(9),
    responseHead: Buffer.alloc(100),
    body: Buffer.alloc(900),
    payload: Buffer.alloc(5000),
  } as const
  return { outcome, exchanges: causeClass === undefined ? [exchange] : [] }
}

describe('RateWindow', () => {
  it('counts the last seconds only', () => {
    let nowMs = 0
    const rate = new RateWindow(() => nowMs, 10)
    rate.add(5)
    expect(rate.perSecond()).to.equal(5)
    nowMs = 1000
    rate.add(5)
    nowMs = 2000
    expect(rate.perSecond()).to.equal(5)
    nowMs = 10_500
    expect(rate.perSecond()).to.equal(0.5)
    nowMs = 60_000
    expect(rate.perSecond()).to.equal(0)
    rate.add(20)
    expect(rate.perSecond()).to.equal(2)
  })
})

describe('CrawlStatus', () => {
  let nowMs = 0
  function told(): CrawlStatus {
    nowMs = 1000
    const status = new CrawlStatus(() => nowMs)
    status.enter('fetch')
    status.limits = { maxPages: 10 }
    for (const name of ['fetch_success', 'fetch_success', 'fetch_notmodified', 'fetch_redir_temp'] as const) status.pageDone(page(name))
    status.pageDone(page('fetch_retry', 'timeout'))
    const queues = {
      active: 2,
      waiting: 1,
      ready: 0,
      waitingBy: { 'crawl-delay': 1 },
      slowest: [{ queueId: 'slow.example', waitMs: 61_000, delayMs: 90_000, source: 'crawl-delay', failures: 2 }],
    } as const
    status.watchDb(() => ({ db_fetched: 7 }))
    status.watchFetch({ inFlight: () => 3, queued: () => 12, queues: slowest => ({ ...queues, slowest: queues.slowest.slice(0, slowest) }) })
    nowMs = 3000
    return status
  }

  it('gives the figures', () => {
    expect(told().facts()).to.deep.equal({
      phase: 'fetch',
      elapsedMs: 2000,
      outcomes: 5,
      fetched: 3,
      bytes: 4000,
      perSecondNow: 2.5,
      perSecond: 2.5,
      inFlight: 3,
      byStatus: { fetch_notmodified: 1, fetch_redir_temp: 1, fetch_retry: 1, fetch_success: 2 },
      errors: { timeout: 1 },
      queues: { active: 2, waiting: 1, ready: 0, waitingBy: { 'crawl-delay': 1 }, slowest: [] },
      queued: 12,
      maxPages: 10,
    })
  })

  it('makes one line of them, with the time left', () => {
    const line = formatProgress(told().facts(), 5e9)
    expect(line).to.equal(
      'fetch | 3 pages of 5 fetches, 2.5/s now, 2.5/s overall | 3 in flight | hosts 2 active, 0 ready, 1 waiting (crawl-delay 1) | 12 queued on disk | errors timeout 1 | 4.0 kB | 5.0 GB free | 2.8 s left',
    )
  })

  it('names the hosts that are waited for, and why', () => {
    const { queues } = told().facts(5)
    expect(formatSlow(queues?.slowest ?? [])).to.equal('  slow.example: 1 m 1 s to wait; delay 1 m 30 s (crawl-delay, 2 failures in a row)')
  })

  it('tells listeners what others have written, until they leave', () => {
    const status = new CrawlStatus()
    let heard = 0
    const leave = status.onWritten(() => heard++)
    status.written()
    leave()
    status.written()
    expect(heard).to.equal(1)
  })

  it('is answered to Prometheus, on a port, in its text form', async () => {
    const server = await serveMetrics(createRegistry(told()), '127.0.0.1', 0)
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`)
      expect(answer.headers.get('content-type')).to.match(/^text\/plain; version=/)
      const lines = (await answer.text()).split('\n')
      for (const wanted of [
        'millrace_fetches_total{status="fetch_success"} 2',
        'millrace_fetch_errors_total{class="timeout"} 1',
        'millrace_received_bytes_total 4000',
        'millrace_requests_in_flight 3',
        'millrace_fetch_queues{state="waiting"} 1',
        'millrace_fetch_queues_waiting{source="crawl-delay"} 1',
        'millrace_queued_urls 12',
        'millrace_crawldb_urls{status="db_fetched"} 7',
        'millrace_crawl_seconds 2',
        '# TYPE millrace_fetches_total counter',
        '# TYPE millrace_requests_in_flight gauge',
      ])
        expect(lines).to.include(wanted)
      expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).to.equal(404)
    } finally {
      await server.close()
    }
  })
})

describe('figures for people', () => {
  for (const [bytes, text] of [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [1_234_567, '1.2 MB'],
    [5e15, '5000.0 TB'],
  ] as const)
    it(`${bytes} bytes are ${text}`, () => expect(formatBytes(bytes)).to.equal(text))
  for (const [ms, text] of [
    [0, '0 ms'],
    [950, '950 ms'],
    [12_345, '12.3 s'],
    [250_000, '4 m 10 s'],
    [7_500_000, '2 h 5 m'],
  ] as const)
    it(`${ms} ms are ${text}`, () => expect(formatDuration(ms)).to.equal(text))
})
