import type { HttpExchange } from '../record/exchange.js'
import type { SideRequest } from '../record/records.js'
import type { RobotsDecision } from '../robots/robots-rules.js'
import { robotsLimitBytes } from '../robots/robots-text.js'
import { allowAll, fetchRobots } from './fetch-robots.js'
import type { SharedFetch } from './fetcher-options.js'
import { boundedCrawlDelayMs } from './politeness.js'
import { noteSideRequest, requestReport } from './request-report.js'
import type { RobotsCopy } from './robots-keeper.js'
import type { Turn, Turns } from './turns.js'

/** The robots.txt that a page is asked under, and what it says. */
export interface Admission {
  readonly robots: RobotsCopy
  /** Absent where there are no rules to go by: then the page may not be asked for. */
  readonly decision: RobotsDecision | undefined
  /** A turn to ask for the page; absent if it may not be asked for. */
  readonly turn: Turn | undefined
}

export interface RobotsGate {
  readonly shared: SharedFetch
  readonly turns: Turns
  readonly signal: AbortSignal | undefined
  /** Origin at which the redirects to the page began. */
  readonly startOrigin: string
  /** Takes the exchanges of robots.txt that were needed. */
  readonly exchanges: HttpExchange[]
  /** Takes notes of the requests that were made. */
  readonly requests: SideRequest[]
}

/**
 * Waits for a turn at the queue and for the robots.txt of the URL's origin, which is fetched where it is not known: that takes a turn of its own,
 * also at other hosts where it redirects. Undefined if a turn could not be had.
 */
export async function admitByRobots(url: URL, queueId: string, gate: RobotsGate): Promise<Admission | undefined> {
  const { robots: keeper, config, clock } = gate.shared
  for (let deferred = 0; ; deferred++) {
    const first = await gate.turns.take(queueId)
    if (first === undefined) return undefined
    const known = knownRobots(url, gate.shared)
    if (known !== undefined && isFinal(known, deferred, gate)) return admission(url, known, first)
    if (known !== undefined) {
      // The whole queue waits for the robots.txt of one of its hosts, as in Nutch.
      first.end({ endMs: clock.nowMs(), tookMs: 0, isException: false, isThrottled: true, retryAfterMs: known.expiresMs - clock.nowMs() })
      continue
    }
    const asked = await askRobots(url, first, gate)
    if (asked === undefined) return undefined
    if (deferred < config.robots.deferRetries && asked.rules === undefined && keeper.find(url.origin) !== undefined) continue
    const decided = admission(url, asked, undefined)
    if (decided.decision?.allowed !== true) return decided
    const turn = await gate.turns.take(queueId)
    return turn === undefined ? undefined : { ...decided, turn }
  }
}

/** A turn that is not needed goes back. */
function admission(url: URL, robots: RobotsCopy, turn: Turn | undefined): Admission {
  const decision = robots.rules?.decide(url.href)
  if (decision?.allowed === true) return { robots, decision, turn }
  turn?.cancel()
  return { robots, decision, turn: undefined }
}

function isFinal({ rules }: RobotsCopy, deferred: number, { shared }: RobotsGate): boolean {
  return rules !== undefined || deferred >= shared.config.robots.deferRetries
}

function knownRobots(url: URL, { robots, clock }: SharedFetch): RobotsCopy | undefined {
  if (robots.isExempt(url.hostname)) return { rules: allowAll.forAgents([]), fetchedMs: clock.nowMs(), expiresMs: Number.POSITIVE_INFINITY }
  return robots.find(url.origin)
}

/** Fetches robots.txt with this turn, or waits for the fetch that is under way. Undefined if a turn on the way was not to be had. */
async function askRobots(url: URL, turn: Turn, gate: RobotsGate): Promise<RobotsCopy | undefined> {
  const { robots } = gate.shared
  const pending = robots.pending(url.origin)
  if (pending !== undefined) {
    turn.cancel()
    return pending
  }
  const fetching = fetchOnce(url.origin, turn, gate)
  robots.announce(url.origin, fetching)
  return fetching
}

async function fetchOnce(
  origin: string,
  turn: Turn,
  { shared, turns, signal, startOrigin, exchanges, requests }: RobotsGate,
): Promise<RobotsCopy | undefined> {
  const { config, clock, client, agentNames, headersFor } = shared
  const found = await fetchRobots(origin, turn, {
    client,
    config: config.robots,
    agentNames,
    headersFor: asked => headersFor(asked, { startOrigin }),
    nowMs: () => clock.nowMs(),
    turnFor: async target => turns.take(await shared.queueIdOf(target.href)),
    endTurn: (used, result, rules) => {
      requests.push(...noteSideRequest(used, result, { url: `${origin}/robots.txt` }))
      const delayMs = boundedCrawlDelayMs(rules?.crawlDelayMs, config.fetch)
      used.end(requestReport(result, { crawlDelayMs: delayMs === 'tooLong' ? undefined : delayMs }, config.fetch))
    },
    signal,
  })
  if (found === undefined || found.copy.causeClass === 'aborted') return undefined
  if (found.isCut) shared.log.warn({ url: `${origin}/robots.txt`, limitBytes: robotsLimitBytes }, 'robots.txt is read up to its limit only')
  if (config.fetch.storesRobots) exchanges.push(...found.exchanges)
  const copy = shared.robots.keep(origin, found.copy)
  shared.counters.add(copy.rules === undefined ? 'fetch/robots_unreachable' : 'fetch/robots')
  if (copy.causeClass === 'guard') noteRefused(origin, copy.cause, shared)
  if (copy.rules !== undefined) shared.onRobots?.({ origin, sitemaps: copy.rules.sitemaps, fetchedMs: copy.fetchedMs })
  return copy
}

/** One warning is enough to act on, and pages may link to any number of special addresses. */
function noteRefused(origin: string, cause: string | undefined, { counters, log }: RobotsGate['shared']): void {
  const level = counters.get('fetch/address_refused') === 0 ? 'warn' : 'debug'
  counters.add('fetch/address_refused')
  log[level]({ url: origin, cause }, 'not asked: the address guard stands')
}
