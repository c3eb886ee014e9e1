import { type ConfigOf, choice, integer, minutesToMs, number, string } from './field.js'

export const generateFields = {
  maxPerHost: integer({
    property: 'generate.max.count',
    default: -1,
    min: -1,
    text: 'URLs of one host (or domain, by generate.count.mode) in one segment; -1 and 0 are no limit.',
  }),
  countMode: choice({
    property: 'generate.count.mode',
    choices: ['host', 'domain'],
    default: 'host',
    text: 'What generate.max.count counts by.',
  }),
  maxCountExpression: string({
    property: 'generate.max.count.expr',
    default: '',
    text: 'generate.max.count of a host, by an expression over what the HostDb knows of it, such as: fetched > 100 ? 50 : 10. Below 0 is no limit, 0 leaves the host out. See updatehostdb.',
  }),
  delayExpression: string({
    property: 'generate.fetch.delay.expr',
    default: '',
    text: 'Delay in ms that the fetcher keeps for a host, by an expression over what the HostDb knows of it, such as: pct95._rs_ * 5.',
  }),
  minScore: number({ property: 'generate.min.score', default: 0, text: 'URLs with a lower sort value are not selected.' }),
  minIntervalS: integer({
    property: 'generate.min.interval',
    default: -1,
    unit: 's',
    text: 'URLs with a longer fetch interval than this are not selected; -1 is no limit.',
  }),
  restrictStatus: string({
    property: 'generate.restrict.status',
    default: '',
    text: 'Only URLs with this status are selected, such as db_unfetched.',
  }),
  genDelayMs: integer({
    property: 'crawl.gen.delay',
    default: 604_800_000,
    min: 0,
    unit: 'ms',
    text: 'How long a URL stays locked to a fetch list that no update has answered.',
  }),
  partitionMode: choice({
    property: 'partition.url.mode',
    choices: ['byHost', 'byDomain', 'byIP'],
    default: 'byHost',
    text: 'How --lists splits a fetch list so that each queue is in one list only.',
  }),
  timeLimitMs: minutesToMs({
    property: 'fetcher.timelimit.mins',
    default: -1,
    text: 'When a fetch, or a crawl without rounds, stops taking new URLs; -1 is no limit.',
  }),
}
export type GenerateConfig = ConfigOf<typeof generateFields>
