import { type ConfigOf, integer, secondsToMs } from './field.js'

export const crawlFields = {
  workers: integer({
    property: 'millrace.workers',
    nutch: false,
    default: -1,
    min: -1,
    max: 64,
    text: 'Worker threads that parse and compress pages; 0 does it on the main thread, -1 takes one for each processor but one.',
  }),
  rollPages: integer({
    property: 'millrace.roll.pages',
    nutch: false,
    default: 5000,
    min: 1,
    text: 'Continuous crawl: pages after which a segment is closed and merged.',
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
