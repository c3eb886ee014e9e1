import { boolean, type ConfigOf, choice, integer, number, string } from './field.js'

export const scheduleFields = {
  className: choice({
    property: 'db.fetch.schedule.class',
    choices: ['default', 'adaptive', 'mime-adaptive', 'pattern'],
    aliases: {
      'org.apache.nutch.crawl.DefaultFetchSchedule': 'default',
      'org.apache.nutch.crawl.AdaptiveFetchSchedule': 'adaptive',
      'org.apache.nutch.crawl.MimeAdaptiveFetchSchedule': 'mime-adaptive',
    },
    default: 'default',
    text: 'How the next fetch of a page is timed; Nutch class names are understood.',
  }),
  intervalS: integer({
    property: 'db.fetch.interval.default',
    default: 2_592_000,
    min: 1,
    max: 2_147_483_647,
    unit: 's',
    text: 'Time between two fetches of a page.',
  }),
  maxIntervalS: integer({
    property: 'db.fetch.interval.max',
    default: 7_776_000,
    min: 1,
    max: 2_147_483_647,
    unit: 's',
    text: 'Longest time between two fetches; after it a page is fetched again whatever its state.',
  }),
  incRate: number({
    property: 'db.fetch.schedule.adaptive.inc_rate',
    default: 0.4,
    min: 0,
    text: 'Adaptive: growth of the interval when a page is unmodified.',
  }),
  decRate: number({
    property: 'db.fetch.schedule.adaptive.dec_rate',
    default: 0.2,
    min: 0,
    max: 1,
    text: 'Adaptive: reduction of the interval when a page is modified.',
  }),
  adaptiveMinIntervalS: number({
    property: 'db.fetch.schedule.adaptive.min_interval',
    default: 60,
    min: 0,
    unit: 's',
    text: 'Adaptive: shortest interval.',
  }),
  adaptiveMaxIntervalS: number({
    property: 'db.fetch.schedule.adaptive.max_interval',
    default: 31_536_000,
    min: 0,
    unit: 's',
    text: 'Adaptive: longest interval.',
  }),
  syncDelta: boolean({
    property: 'db.fetch.schedule.adaptive.sync_delta',
    default: true,
    text: 'Adaptive: whether the next fetch moves towards the time at which the page changes.',
  }),
  syncDeltaRate: number({
    property: 'db.fetch.schedule.adaptive.sync_delta_rate',
    default: 0.3,
    min: 0,
    max: 1,
    text: 'Adaptive: part of the distance to the last change by which the next fetch moves.',
  }),
  hostIntervalsFile: string({
    property: 'db.fetch.schedule.adaptive.hosts.file',
    nutch: false,
    default: '',
    text: 'Adaptive: file of host, min and max interval (Nutch: adaptive-host-specific-intervals.txt).',
  }),
  mimeFile: string({
    property: 'db.fetch.schedule.mime.file',
    default: '',
    text: 'Mime-adaptive: file of MIME type, inc and dec rate (Nutch: adaptive-mimetypes.txt); empty takes the shipped one.',
  }),
  patternFile: string({
    property: 'db.fetch.interval.patterns',
    nutch: false,
    default: '',
    text: 'Pattern: file of interval and URL pattern; first match wins.',
  }),
  contentIntervalS: integer({
    property: 'db.fetch.interval.content',
    nutch: false,
    default: 7_776_000,
    min: 1,
    unit: 's',
    text: 'Pattern: interval of pages that no pattern matches.',
  }),
}
export type ScheduleConfig = ConfigOf<typeof scheduleFields>
