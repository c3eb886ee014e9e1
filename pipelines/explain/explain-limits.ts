import type { Config } from '../../lib/config/options.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { HostCursor } from '../../lib/crawldb/due-cursors.js'
import { lockOf } from '../../lib/crawldb/lock.js'
import { bucketOf } from '../../lib/crawldb/sort-bucket.js'
import type { QueuePoliteness } from '../../lib/fetch/politeness.js'
import type { DbDatum } from '../../lib/record/records.js'
import { keyOfUrl, reversedHostOfKey } from '../../lib/record/url-key.js'
import type { Segment, SegmentState } from '../../lib/segment/segment.js'
import { queueIdOf } from '../../lib/url/hosts.js'

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
export async function explainLimits(crawlDb: CrawlDb, datum: DbDatum, config: Config, sortValue: number): Promise<Limit[]> {
  const { minScore, restrictStatus, minIntervalS, maxPerHost, countMode } = config.generate
  const limits: Limit[] = [
    {
      option: 'generate.min.score',
      value: minScore,
      verdict: sortValue < minScore ? 'refuses' : 'passes',
      why: `its sort value is ${sortValue}`,
    },
  ]
  if (restrictStatus !== '') {
    const verdict = datum.status === restrictStatus ? 'passes' : 'refuses'
    limits.push({ option: 'generate.restrict.status', value: restrictStatus, verdict, why: `its status is ${datum.status}` })
  }
  if (minIntervalS >= 0) {
    const verdict = datum.fetchIntervalS > minIntervalS ? 'refuses' : 'passes'
    limits.push({ option: 'generate.min.interval', value: minIntervalS, verdict, why: `its interval is ${datum.fetchIntervalS} s` })
  }
  if (maxPerHost > 0) {
    const before = await betterOfHost(crawlDb, datum)
    const verdict = before >= maxPerHost ? 'may refuse' : 'passes'
    const counted = before >= countedAtMost ? `${countedAtMost} or more` : String(before)
    limits.push({
      option: `generate.max.count by ${countMode}`,
      value: maxPerHost,
      verdict,
      why: `${counted} of its host are due and come before it`,
    })
  }
  return limits
}

const countedAtMost = 10_000

/** Records of the same host that are due with a higher sort value; of those whose value is about the same, by the order of the index. */
async function betterOfHost(crawlDb: CrawlDb, datum: DbDatum): Promise<number> {
  const key = keyOfUrl(datum.url)
  const own = bucketOf(crawlDb.sortValueOf(datum))
  const cursor = new HostCursor(crawlDb.level, reversedHostOfKey(key))
  let before = 0
  for (let bucket = await cursor.bucket(); bucket !== undefined && bucket <= own && before < countedAtMost; bucket = await cursor.bucket()) {
    const next = await cursor.take(bucket)
    if (next === undefined || next === key) break
    before++
  }
  return before
}
