import type { Config } from '../../lib/config/options.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { lockOf } from '../../lib/crawldb/lock.js'
import type { QueuePoliteness } from '../../lib/fetch/politeness.js'
import { formatJavaFloat } from '../../lib/record/java-float.js'
import type { DbDatum } from '../../lib/record/records.js'
import type { Segment, SegmentState } from '../../lib/segment/segment.js'
import { hostOf, queueIdOf } from '../../lib/url/hosts.js'
import { groupLimit, statusNamed } from '../generate-select.js'
import { withHostRules } from '../host-rules.js'
import type { JobContext } from '../job.js'
import { dueBefore } from './due-before.js'

/** One limit of generate or fetch that bears on a record. */
export interface Limit {
  /** Property of the option. */
  readonly option: string
  readonly value: number | string
  /** `refuses` keeps the record out of every list; `may refuse` depends on what else is due. */
  readonly verdict: 'passes' | 'refuses' | 'may refuse'
  readonly why: string
}

/** The fetch list that holds a record. */
export interface LockExplanation {
  readonly segment: string
  readonly sinceMs: number
  readonly untilMs: number
  readonly isHeld: boolean
  readonly segmentState: SegmentState | 'missing'
}

/** What is known of the queue that the URL is fetched through. */
export interface QueueExplanation {
  readonly id: string
  readonly politeness?: QueuePoliteness
}

export async function explainLock(datum: DbDatum, segments: readonly Segment[], nowMs: number): Promise<LockExplanation | undefined> {
  const lock = lockOf(datum)
  if (lock === undefined) return undefined
  const segment = segments.find(({ name }) => name === lock.segment)
  return {
    segment: lock.segment,
    sinceMs: lock.timeMs,
    untilMs: lock.untilMs,
    isHeld: lock.untilMs > nowMs,
    segmentState: segment === undefined ? 'missing' : await segment.state(),
  }
}

export function explainQueue({ url }: DbDatum, { fetch }: Config, politeness: Readonly<Record<string, QueuePoliteness>>): QueueExplanation {
  const id = queueIdOf(url, fetch.queueMode === 'byDomain' ? 'byDomain' : 'byHost')
  const known = politeness[id]
  return known === undefined ? { id } : { id, politeness: known }
}

/** Every limit that is set, in the order in which generate asks. */
export async function explainLimits(crawlDb: CrawlDb, datum: DbDatum, context: JobContext, sortValue: number): Promise<Limit[]> {
  const { minScore, minIntervalS } = context.config.generate
  const restrictStatus = statusNamed(context.config.generate.restrictStatus)
  const limits: Limit[] = [
    {
      option: 'generate.min.score',
      value: minScore,
      verdict: sortValue < minScore ? 'refuses' : 'passes',
      why: `its sort value is ${formatJavaFloat(sortValue)}`,
    },
  ]
  if (restrictStatus !== undefined) {
    const verdict = datum.status === restrictStatus ? 'passes' : 'refuses'
    limits.push({ option: 'generate.restrict.status', value: restrictStatus, verdict, why: `its status is ${datum.status}` })
  }
  if (minIntervalS >= 0) {
    const verdict = datum.fetchIntervalS > minIntervalS ? 'refuses' : 'passes'
    limits.push({ option: 'generate.min.interval', value: minIntervalS, verdict, why: `its interval is ${datum.fetchIntervalS} s` })
  }
  const count = await explainMaxCount(crawlDb, datum, context)
  return count === undefined ? limits : [...limits, count]
}

const countedAtMost = 10_000

/** The limit of the record's host or domain, by number or by expression over the HostDb. */
async function explainMaxCount(crawlDb: CrawlDb, datum: DbDatum, context: JobContext): Promise<Limit | undefined> {
  const { countMode, maxCountExpression } = context.config.generate
  const { groupOf, maxPerGroup } = groupLimit(withHostRules(crawlDb, { context }))
  const group = groupOf(hostOf(datum.url))
  const value = maxPerGroup(group)
  if (value === Number.POSITIVE_INFINITY) return undefined
  const option = `generate.max.count${maxCountExpression === '' ? '' : '.expr'} by ${countMode}`
  if (value === 0) return { option, value, verdict: 'refuses', why: `nothing of ${group} is taken` }
  const before = await dueBefore(crawlDb, datum, countMode, countedAtMost)
  const counted = before >= countedAtMost ? `${countedAtMost} or more` : String(before)
  return { option, value, verdict: before >= value ? 'may refuse' : 'passes', why: `${counted} of ${group} are due and come before it` }
}
