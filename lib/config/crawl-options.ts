import { boolean, type ConfigOf, integer, secondsToMs, stringList } from './field.js'

export const crawlFields = {
  plugins: stringList({
    property: 'millrace.plugins',
    nutch: false,
    default: '',
    text: 'Modules with plugins, in order: files or installed packages. In millrace.config.json also as plugins, there seen from that file.',
  }),
  pluginOptions: stringList({
    property: 'millrace.plugin.options',
    nutch: false,
    default: '',
    text: 'What plugins are told when they are loaded: name=value.',
  }),
  pluginTimeoutMs: secondsToMs({
    property: 'millrace.plugin.timeout',
    nutch: false,
    default: 60,
    min: 0.001,
    text: 'Time that a plugin may take for an answer that need not come at once: to be loaded, an indexing filter for a document, a stage for its next line.',
  }),
  workers: integer({
    property: 'millrace.workers',
    nutch: false,
    default: -1,
    min: -1,
    max: 64,
    text: 'Worker threads that parse and compress pages; 0 does it on the main thread, -1 takes one for each processor but one.',
  }),
  invertsLinks: boolean({
    property: 'millrace.crawl.invertlinks',
    nutch: false,
    default: true,
    text: 'Whether a crawl keeps the LinkDb up to date: a continuous one after each merge, rounds at their end.',
  }),
  rollPages: integer({
    property: 'millrace.roll.pages',
    nutch: false,
    default: 5000,
    min: 1,
    text: 'Continuous crawl: pages after which a segment is closed and merged; the first segments are smaller.',
  }),
  rollAgeMs: secondsToMs({
    property: 'millrace.roll.age',
    nutch: false,
    default: 120,
    min: 1,
    text: 'Continuous crawl: age at which a segment that has pages is closed and merged.',
  }),
  graceMs: secondsToMs({
    property: 'millrace.grace',
    nutch: false,
    default: 10,
    min: 0,
    text: 'How long a stopped crawl waits for requests in flight before it aborts them.',
  }),
}
export type CrawlConfig = ConfigOf<typeof crawlFields>
