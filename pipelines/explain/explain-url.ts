import type { UrlScope } from '../../lib/config/url-options.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import type { Decision } from '../../lib/explain/decision.js'
import type { Inlink } from '../../lib/linkdb/link-db.js'
import { withLinkDb } from '../../lib/linkdb/open.js'
import type { DbDatum } from '../../lib/record/records.js'
import type { Url } from '../../lib/record/url.js'
import { listSegments, type Segment } from '../../lib/segment/segment.js'
import type { CrawlUrlRules } from '../crawl-url-rules.js'
import type { JobContext } from '../job.js'
import { readPoliteness } from '../politeness-file.js'
import { explainLimits, explainLock, explainQueue, type Limit, type LockExplanation, type QueueExplanation } from './explain-limits.js'
import { explainSchedule, type ScheduleExplanation } from './explain-schedule.js'
import { explainScore, type ScoreExplanation } from './explain-score.js'
import { findLastOutcome, type LastOutcome } from './last-outcome.js'
import { type NextFetch, nextFetch } from './next-fetch.js'
import { explainRobots, type RobotsExplanation } from './stored-robots.js'

/** Everything that decides about one URL. Parts that there is nothing to say about are absent. */
export interface UrlExplanation {
  readonly given: string
  /** The URL of the crawl that the given one is; absent if it is none. */
  readonly url?: Url
  readonly normalize: Decision
  readonly filter?: Decision
  readonly record?: DbDatum
  readonly robots?: RobotsExplanation
  readonly schedule?: ScheduleExplanation
  readonly score?: ScoreExplanation
  readonly inlinks?: { readonly count: number; readonly isMore: boolean; readonly first: readonly Inlink[] }
  readonly lock?: LockExplanation
  readonly limits?: readonly Limit[]
  readonly queue?: QueueExplanation
  readonly last?: LastOutcome
  readonly next: NextFetch
}

export interface ExplainJob {
  readonly context: JobContext
  readonly rules: CrawlUrlRules
  readonly given: string
  /** Where the URL is taken to come from. */
  readonly scope: UrlScope
}

const scoredSegments = 10
const shownInlinks = 10

/** Asks rules, db, links, segments and schedule about one URL. Reads no more of the db than its record and its host's part of the indexes. */
export async function explainUrl(crawlDb: CrawlDb, { context, rules, given, scope }: ExplainJob): Promise<UrlExplanation> {
  const normalize = rules.normalizers.explain(given, scope)
  const url = rules.normalizers.tryNormalize(given, scope)
  if (url === undefined) {
    const step = normalize.steps.at(-1)
    return { given, normalize, next: { state: 'unknown', why: `it is no URL that can be crawled: ${step?.reason ?? step?.rule ?? 'rejected'}` } }
  }
  const segments = await listSegments(context.folder.segments)
  const filter = rules.filters.explain(url)
  const record = await crawlDb.get(url)
  const robots = await explainRobots(url, segments, context.config, context.clock.nowMs())
  const inlinks = await inlinksOf(context, url)
  const last = await findLastOutcome(url, segments)
  const common = {
    given,
    url,
    normalize,
    filter,
    ...(robots === undefined ? {} : { robots }),
    ...(inlinks === undefined ? {} : { inlinks }),
    ...(last === undefined ? {} : { last }),
  }
  if (record === undefined) return { ...common, next: notInDb(filter, inlinks?.count ?? 0, last) }
  return { ...common, ...(await explainRecord(crawlDb, context, { record, filter, segments, last, robots })) }
}

interface RecordFacts {
  readonly record: DbDatum
  readonly filter: Decision
  readonly segments: readonly Segment[]
  readonly last: LastOutcome | undefined
  readonly robots: RobotsExplanation | undefined
}

async function explainRecord(crawlDb: CrawlDb, context: JobContext, facts: RecordFacts) {
  const { config, schedule: rules, scoring, folder, clock } = context
  const { record, segments, last, filter, robots } = facts
  const nowMs = clock.nowMs()
  const schedule = explainSchedule(record, { config, schedule: rules, nowMs, last })
  const applied = new Set(await crawlDb.ledger.applied())
  const score = await explainScore(record, segments.filter(({ name }) => applied.has(name)).slice(-scoredSegments), config, scoring)
  const lock = await explainLock(record, segments, nowMs)
  const limits = await explainLimits(crawlDb, record, context, score.sortValue)
  const queue = explainQueue(record, config, await readPoliteness(folder.root))
  const next = nextFetch({ nowMs, filter, datum: record, schedule, lock, limits, robots, queue })
  return { record, schedule, score, ...(lock === undefined ? {} : { lock }), limits, queue, next }
}

function notInDb(filter: Decision, inlinks: number, last: LastOutcome | undefined): NextFetch {
  const step = filter.steps.at(-1)
  if (!filter.accepted)
    return { state: 'unknown', why: `not in the CrawlDb, and the rule ${step?.rule ?? ''} at ${step?.file ?? ''}:${step?.line ?? 0} rejects it` }
  if (last !== undefined)
    return { state: 'unknown', why: `not in the CrawlDb; segment ${last.segment} fetched it: updatedb takes it in, unless it was deleted since` }
  if (inlinks > 0)
    return { state: 'unknown', why: `not in the CrawlDb although ${inlinks} links lead to it: it was deleted, or their links were not merged` }
  return { state: 'unknown', why: 'not in the CrawlDb: no seed names it, and no page that was fetched links to it' }
}

async function inlinksOf({ folder, config }: JobContext, url: Url): Promise<UrlExplanation['inlinks']> {
  try {
    return await withLinkDb({ folder: folder.root, config: config.db }, async linkDb => {
      const found: Inlink[] = []
      for await (const inlink of linkDb.inlinks(url, config.link.maxInlinks + 1)) found.push(inlink)
      const count = Math.min(found.length, config.link.maxInlinks)
      return { count, isMore: found.length > count, first: found.slice(0, shownInlinks) }
    })
  } catch (error) {
    if (isCrawlError(error, 'DB_MISSING') || isCrawlError(error, 'DB_LOCKED')) return undefined // another job may be inverting links
    throw error
  }
}
