import { createServer } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import type { CrawlStatus, StatusFacts } from './crawl-status.js'

interface Sample {
  readonly labels: Record<string, string>
  readonly value: number
}

/** All metrics of a crawl, read from `status` when they are asked for. Labels are statuses, causes and states: their sets are bounded. */
export function createRegistry(status: CrawlStatus): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  /** A counter is set to its sum whenever it is asked for; names that end in `_total` are counters. */
  const metric = (name: string, help: string, labelNames: string[], read: () => readonly Sample[]): void => {
    const configuration = { name, help, labelNames, registers: [registry] }
    if (name.endsWith('_total')) {
      new Counter({
        ...configuration,
        collect() {
          this.reset()
          for (const { labels, value } of read()) this.inc(labels, value)
        },
      })
    } else {
      new Gauge({
        ...configuration,
        collect() {
          this.reset()
          for (const { labels, value } of read()) this.set(labels, value)
        },
      })
    }
  }
  const counted = (name: string, help: string, read: (facts: StatusFacts) => number): void =>
    metric(name, help, [], () => [{ labels: {}, value: read(status.facts()) }])
  const labelled = (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void =>
    metric(name, help, [label], () => Object.entries(read()).map(([text, value]) => ({ labels: { [label]: text }, value })))
  labelled('millrace_fetches_total', 'Fetches that have ended since the crawl was started, by status.', 'status', () => status.facts().byStatus)
  labelled('millrace_fetch_errors_total', 'Failed fetches since the crawl was started, by class of the cause.', 'class', () => status.facts().errors)
  counted('millrace_received_bytes_total', 'Bytes of heads and bodies received since the crawl was started.', facts => facts.bytes)
  counted('millrace_requests_in_flight', 'Fetches under way.', facts => facts.inFlight)
  counted('millrace_crawl_seconds', 'Time since the crawl was started, in seconds.', facts => facts.elapsedMs / 1000)
  metric('millrace_queued_urls', 'URLs that wait on disk: of the list of a round, or unfetched in the CrawlDb.', [], () => {
    const { queued } = status.facts()
    return queued === undefined ? [] : [{ labels: {}, value: queued }]
  })
  labelled('millrace_fetch_queues', 'Fetch queues by state.', 'state', () => queueStates(status.facts()))
  labelled(
    'millrace_fetch_queues_waiting',
    'Fetch queues that wait, by where their delay came from.',
    'source',
    () => status.facts().queues?.waitingBy ?? {},
  )
  labelled('millrace_crawldb_urls', 'Records of the CrawlDb by status.', 'status', () => status.urlsByStatus)
  return registry
}

function queueStates({ queues }: StatusFacts): Record<string, number> {
  return queues === undefined ? {} : { active: queues.active, ready: queues.ready, waiting: queues.waiting }
}

export interface MetricsServer {
  readonly port: number
  close(): Promise<void>
}

/** Answers `GET /metrics` in Prometheus's text form. @throws {CrawlError} IO_FAILED if the port cannot be had */
export async function serveMetrics(registry: Registry, host: string, port: number): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(new CrawlError('IO_FAILED', `metrics on ${host}:${port}: ${messageOf(error)}`, { cause: error })))
    server.listen(port, host, resolve)
  })
  server.unref()
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
