import type { Decision } from '../../lib/explain/decision.js'
import type { DbDatum } from '../../lib/record/records.js'
import type { Limit, LockExplanation, QueueExplanation } from './explain-limits.js'
import { iso, type ScheduleExplanation } from './explain-schedule.js'
import type { RobotsExplanation } from './stored-robots.js'

/** What comes next for a URL, and why. */
export interface NextFetch {
  /** `due`: the next generate may list it; `listed`: a fetch list holds it; `waits` for its time; `kept out` by a rule or limit; `unknown`: not in the db. */
  readonly state: 'due' | 'listed' | 'waits' | 'kept out' | 'unknown'
  /** Not before this time, epoch ms; absent where no time will change it. */
  readonly atMs?: number
  readonly why: string
}

export interface NextFetchFacts {
  readonly nowMs: number
  readonly filter: Decision
  readonly datum: DbDatum
  readonly schedule: ScheduleExplanation
  readonly lock: LockExplanation | undefined
  readonly limits: readonly Limit[]
  readonly robots: RobotsExplanation | undefined
  readonly queue: QueueExplanation
}

/** The first thing that stands in the way decides, in the order in which generate and fetch would meet it. */
export function nextFetch({ nowMs, filter, datum, schedule, lock, limits, robots, queue }: NextFetchFacts): NextFetch {
  if (lock?.isHeld === true) {
    const state = lock.segmentState === 'missing' ? 'which is not there any more' : `which is ${lock.segmentState}`
    return { state: 'listed', atMs: nowMs, why: `it stands in the list of segment ${lock.segment}, ${state}; the lock ends ${iso(lock.untilMs)}` }
  }
  const step = filter.steps.at(-1)
  if (!filter.accepted) return { state: 'kept out', why: `the rule ${step?.rule ?? ''} at ${step?.file ?? ''}:${step?.line ?? 0} rejects it` }
  const refusal = limits.find(({ verdict }) => verdict === 'refuses')
  if (refusal !== undefined) return { state: 'kept out', why: `${refusal.option} is ${refusal.value}, and ${refusal.why}` }
  if (!schedule.isDue) return { state: 'waits', atMs: datum.fetchTimeMs, why: schedule.arithmetic }
  if (robots?.allowed === false && !robots.isExpired)
    return {
      state: 'due',
      atMs: nowMs,
      why: `it is due, but robots.txt line ${robots.line ?? '?'} forbids it: it will be listed and end as robots_denied`,
    }
  const heldMs = queue.politeness?.nextMs ?? 0
  if (heldMs > nowMs) return { state: 'due', atMs: heldMs, why: `it is due; its queue ${queue.id} may be asked again ${iso(heldMs)}` }
  const limit = limits.find(({ verdict }) => verdict === 'may refuse')
  if (limit !== undefined)
    return { state: 'due', atMs: nowMs, why: `it is due, but ${limit.why}, and ${limit.option} is ${limit.value}: a later list will hold it` }
  return { state: 'due', atMs: nowMs, why: 'it is due: the next generate may list it, best sort values first' }
}
