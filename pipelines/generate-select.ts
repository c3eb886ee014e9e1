import { join } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { KeysAhead } from '../lib/crawldb/due-ahead.js'
import { type SelectedKey, selectDue } from '../lib/crawldb/select-due.js'
import { CrawlError } from '../lib/errors/crawl-error.js'
import type { DbDatum } from '../lib/record/records.js'
import { isDbStatus, isStatus } from '../lib/record/status.js'
import { hostOfReversed, reversedHostOfKey, urlOfKey } from '../lib/record/url-key.js'
import { hostOf, registeredDomainOf } from '../lib/url/hosts.js'
import type { GenerateJob } from './generate-job.js'
import { ListPlacement } from './list-placement.js'
import { Planner } from './planner.js'
import { readPoliteness } from './politeness-file.js'

/** Chooses what is due for each of the segments that a generate makes: keys and the number of their segment, best first. */
export async function* selectLists(crawlDb: CrawlDb, job: GenerateJob, nowMs: number): AsyncGenerator<readonly SelectedKey[]> {
  const { context, addDays = 0, topN = Number.POSITIVE_INFINITY, maxSegments = 1, countedForm } = job
  const { config, signal } = context
  const untilMs = nowMs + addDays * 86_400_000
  const { groupOf, maxPerGroup } = groupLimit(job)
  const queueLimit = await queueLimitOf(job, nowMs)
  const placement = new ListPlacement({ segments: maxSegments, topN, maxPerGroup, queueLimit, queueOf: queueNamer(job) })
  const isByQueue = countedForm === undefined && (config.generate.countMode === 'domain') === (config.fetch.queueMode === 'byDomain')
  const limitOf = (group: string): number =>
    isByQueue && queueLimit !== undefined ? Math.min(maxPerGroup(group), queueLimit(group)) : maxPerGroup(group)
  const ahead = addDays > 0 ? await keysAhead(crawlDb, job, untilMs) : undefined
  const selected = selectDue(crawlDb, {
    topN: topN * maxSegments,
    maxPerGroup: group => limitOf(group) * maxSegments,
    groupOf,
    groupOfKey: countedForm === undefined ? undefined : key => groupOf(hostOf(countedForm(urlOfKey(key)))),
    minSortValue: config.generate.minScore,
    isWanted: wantedTest(job, untilMs),
    place: (key, group) => placement.place(key, group),
    ahead,
    signal,
  })
  try {
    yield* selected
  } finally {
    await ahead?.dispose()
  }
}

function keysAhead(crawlDb: CrawlDb, { context: { config, folder } }: GenerateJob, untilMs: number): Promise<KeysAhead> {
  return KeysAhead.read(crawlDb, untilMs, { spillFolder: join(folder.spool, 'generate-ahead'), memoryBytes: config.db.mergeMemoryBytes })
}

/** Names the queue of a key. By IP, where addresses are not known yet, a host counts as a queue of its own. */
export function queueNamer({ context: { config } }: Pick<GenerateJob, 'context'>): (key: string) => string {
  const nameOf = config.fetch.queueMode === 'byDomain' ? registeredDomainOf : (host: string): string => host
  const known = new Map<string, string>()
  return key => {
    const reversed = reversedHostOfKey(key)
    let name = known.get(reversed)
    if (name === undefined) {
      name = nameOf(hostOfReversed(reversed))
      known.set(reversed, name)
    }
    return name
  }
}

/** What is counted together, and how many of it one segment takes. */
export interface GroupLimit {
  readonly groupOf: (host: string) => string
  readonly maxPerGroup: (group: string) => number
}

/** Limits by `generate.max.count`, and by the job where that gives one. */
export function groupLimit({ context: { config }, maxPerGroup }: GenerateJob): GroupLimit {
  const { maxPerHost, countMode } = config.generate
  const byOption = maxPerHost > 0 ? maxPerHost : Number.POSITIVE_INFINITY
  return {
    groupOf: countMode === 'domain' ? registeredDomainOf : host => host,
    maxPerGroup: maxPerGroup === undefined ? () => byOption : group => maxPerGroup(group) ?? byOption,
  }
}

async function queueLimitOf({ context, fitMs, delayOf }: GenerateJob, nowMs: number): Promise<((queueId: string) => number) | undefined> {
  if (fitMs === undefined) return undefined
  const planner = new Planner(context.config, await readPoliteness(context.folder.root), nowMs, delayOf)
  return queueId => planner.fitting(queueId, fitMs)
}

/** The tests of Nutch's generator on one record, in its order; each refusal is counted. */
function wantedTest({ context, accepts, matches }: GenerateJob, untilMs: number): (datum: DbDatum) => boolean {
  const { config, schedule, counters } = context
  const { minIntervalS } = config.generate
  const restrictStatus = statusNamed(config.generate.restrictStatus)
  const tests: readonly (readonly [name: string, test: (datum: DbDatum) => boolean])[] = [
    ['generate/filtered', datum => accepts?.(datum.url) ?? true],
    ['generate/not_due', datum => schedule.shouldFetch(datum, untilMs)],
    ['generate/expression', datum => matches?.(datum) ?? true],
    ['generate/status', datum => restrictStatus === undefined || datum.status === restrictStatus],
    ['generate/interval', datum => minIntervalS < 0 || datum.fetchIntervalS <= minIntervalS],
  ]
  return datum => {
    const failed = tests.find(([, test]) => !test(datum))
    if (failed !== undefined) counters.add(failed[0])
    return failed === undefined
  }
}

/** The status that `generate.restrict.status` names, `db_` left out or not; undefined for none. @throws {CrawlError} CONFIG_INVALID */
export function statusNamed(text: string): string | undefined {
  if (text === '') return undefined
  const name = text.startsWith('db_') ? text : `db_${text}`
  if (isStatus(name) && isDbStatus(name)) return name
  throw new CrawlError('CONFIG_INVALID', `generate.restrict.status: there is no status ${text}`)
}
