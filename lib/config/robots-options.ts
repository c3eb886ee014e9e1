import { boolean, type ConfigOf, integer, secondsToMs, stringList } from './field.js'

export const robotsFields = {
  maxRedirects: integer({
    property: 'http.robots.redirect.max',
    default: 5,
    min: 0,
    max: 20,
    text: 'Redirects followed for robots.txt, across hosts too. One more makes it unreachable.',
  }),
  allows403: boolean({
    property: 'http.robots.403.allow',
    default: true,
    text: 'Whether a robots.txt that answers 401 or 403 allows everything (RFC 9309) or forbids everything.',
  }),
  defersOn503: boolean({
    property: 'http.robots.503.defer.visits',
    default: true,
    text: 'Whether a robots.txt that answers 5xx, or does not answer, forbids the host for a while (RFC 9309); false takes it for absent.',
  }),
  deferMs: integer({
    property: 'http.robots.503.defer.visits.delay',
    default: 300_000,
    min: 0,
    unit: 'ms',
    text: 'How long such a host is taken for forbidden before its robots.txt is asked for again.',
  }),
  deferRetries: integer({
    property: 'http.robots.503.defer.visits.retries',
    default: 0,
    min: 0,
    max: 100,
    text: 'How often a page waits in its queue for such a robots.txt before it is left to be retried by the schedule (Nutch: 3).',
  }),
  ttlMs: secondsToMs({
    property: 'http.robots.cache.ttl',
    nutch: false,
    default: 86_400,
    min: 0,
    text: 'How long a robots.txt is used before it is asked for again (RFC 9309 §2.4: at most 24 hours).',
  }),
  cacheBytes: integer({
    property: 'http.robots.cache.bytes',
    nutch: false,
    default: 64 * 1024 * 1024,
    min: 65_536,
    unit: 'bytes',
    text: 'Memory for the rules of robots.txt files; those not used longest go first.',
  }),
  exemptHosts: stringList({
    property: 'http.robot.rules.allowlist',
    default: '',
    text: 'Hosts, with their subdomains, whose robots.txt is not asked for: your own.',
  }),
}
export type RobotsConfig = ConfigOf<typeof robotsFields>
