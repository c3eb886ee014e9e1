import { type ConfigOf, integer, secondsToMs, string } from './field.js'

export const metricsFields = {
  port: integer({
    property: 'millrace.metrics.port',
    nutch: false,
    default: -1,
    min: -1,
    max: 65_535,
    text: 'Port on which a crawl answers Prometheus at /metrics; 0 takes a free one, -1 is none.',
  }),
  host: string({
    property: 'millrace.metrics.host',
    nutch: false,
    default: '127.0.0.1',
    text: 'Address that the metrics port is bound to.',
  }),
  progressMs: secondsToMs({
    property: 'millrace.progress.interval',
    nutch: false,
    default: 30,
    min: 0,
    text: 'Time between two log lines of progress where stderr is no terminal; 0 writes none.',
  }),
}
export type MetricsConfig = ConfigOf<typeof metricsFields>
