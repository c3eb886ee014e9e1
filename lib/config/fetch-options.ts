import { boolean, type ConfigOf, choice, integer, minutesToMs, number, secondsToMs } from './field.js'

export const fetchFields = {
  maxInFlight: integer({
    property: 'fetcher.threads.fetch',
    default: 50,
    min: 1,
    max: 10_000,
    text: 'Requests in flight over all queues (Nutch: 10 threads).',
  }),
  queueMode: choice({
    property: 'fetcher.queue.mode',
    choices: ['byHost', 'byDomain', 'byIP'],
    default: 'byHost',
    text: 'What a queue is, and so what a delay is kept for.',
  }),
  maxInFlightPerQueue: integer({
    property: 'fetcher.threads.per.queue',
    default: 1,
    min: 1,
    max: 1000,
    text: 'Requests in flight for one queue; above 1 fetcher.server.min.delay is kept, unless robots.txt states a Crawl-delay.',
  }),
  delayMs: secondsToMs({
    property: 'fetcher.server.delay',
    default: 5,
    min: 0,
    text: 'Time between the end of a request to a queue and the start of the next.',
  }),
  minDelayMs: secondsToMs({
    property: 'fetcher.server.min.delay',
    default: 0,
    min: 0,
    text: 'The same where several requests to a queue may be in flight.',
  }),
  maxCrawlDelayMs: secondsToMs({
    property: 'fetcher.max.crawl.delay',
    default: 30,
    min: -1,
    text: 'Longest Crawl-delay of robots.txt that is kept; pages of a host that asks for more are skipped; -1 keeps any.',
  }),
  clampsCrawlDelay: boolean({
    property: 'fetcher.max.crawl.delay.clamp',
    nutch: false,
    default: false,
    text: 'Whether a longer Crawl-delay is cut to fetcher.max.crawl.delay instead of skipping the pages.',
  }),
  minCrawlDelayMs: secondsToMs({
    property: 'fetcher.min.crawl.delay',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the option table's way to refer to another option
    default: '${fetcher.server.delay}',
    min: 0,
    text: 'A shorter Crawl-delay is raised to this.',
  }),
  maxExceptions: integer({
    property: 'fetcher.max.exceptions.per.queue',
    default: 25,
    min: -1,
    text: 'Failed requests in a row after which a queue is given up for this run; -1 is never (Nutch: 5).',
  }),
  exceptionDelayMs: secondsToMs({
    property: 'fetcher.exceptions.per.queue.delay',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the option table's way to refer to another option
    default: '${fetcher.server.delay}',
    min: 0,
    text: 'Extra delay of a queue after a failed request; doubled with each further one.',
  }),
  exceptionsClearAfterMs: secondsToMs({
    property: 'fetcher.exceptions.per.queue.clear.after',
    default: 1800,
    min: 0,
    text: 'The failures of a queue are forgotten this long after its last delay.',
  }),
  maxRetryAfterMs: secondsToMs({
    property: 'fetcher.retry.after.max',
    nutch: false,
    default: 86_400,
    min: 0,
    text: 'Longest Retry-After that is kept; what asks for more is cut to this.',
  }),
  maxHoldMs: secondsToMs({
    property: 'fetcher.queue.hold.max',
    nutch: false,
    default: 600,
    min: 0,
    text: 'A queue that may not be asked for longer than this is left for a later run instead of being waited for.',
  }),
  throttle: choice({
    property: 'fetcher.throttle',
    nutch: false,
    choices: ['off', 'factor', 'auto'],
    default: 'off',
    text: 'Delay by the response time of the host: factor times it (as Heritrix), or auto, which aims at a number of requests in flight (as Scrapy).',
  }),
  throttleFactor: number({
    property: 'fetcher.throttle.factor',
    nutch: false,
    default: 5,
    min: 0,
    text: 'factor: the delay is this many times the time of the last request, at least fetcher.server.delay.',
  }),
  throttleTarget: number({
    property: 'fetcher.throttle.concurrency',
    nutch: false,
    default: 1,
    min: 0.01,
    text: 'auto: the delay moves towards the response time divided by this.',
  }),
  throttleMaxMs: secondsToMs({ property: 'fetcher.throttle.max', nutch: false, default: 60, min: 0, text: 'Longest delay that a throttle sets.' }),
  queueDepth: integer({
    property: 'fetcher.queue.depth.multiplier',
    default: 50,
    min: 1,
    text: 'URLs held in memory: this times fetcher.threads.fetch; the rest stay on disk.',
  }),
  thresholdPages: number({
    property: 'fetcher.throughput.threshold.pages',
    default: -1,
    text: 'Fewer pages per second than this end the fetch; -1 is off.',
  }),
  thresholdRetries: integer({
    property: 'fetcher.throughput.threshold.retries',
    default: 5,
    min: 0,
    text: 'How often, at one look a second, the throughput may be below the threshold before the fetch ends.',
  }),
  thresholdCheckAfterMs: minutesToMs({
    property: 'fetcher.throughput.threshold.check.after',
    default: 5,
    min: 0,
    text: 'When the throughput is first looked at.',
  }),
  redirectDedupMs: secondsToMs({
    property: 'fetcher.redirect.dedupcache.seconds',
    default: 3600,
    min: -1,
    text: 'Redirect targets seen within this time are not followed again; -1 is off (Nutch: -1).',
  }),
  redirectDedupSize: integer({
    property: 'fetcher.redirect.dedupcache.size',
    default: 1000,
    min: 1,
    text: 'Redirect targets remembered.',
  }),
  storesRobots: boolean({
    property: 'fetcher.store.robotstxt',
    default: true,
    text: 'Whether robots.txt is kept in the WARC (Nutch: false).',
  }),
}
export type FetchConfig = ConfigOf<typeof fetchFields>
