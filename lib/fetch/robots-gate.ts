import type { HttpExchange } from '../record/exchange.js'
import { allowAll, fetchRobots } from './fetch-robots.js'
import type { SharedFetch } from './fetcher-options.js'
import { boundedCrawlDelayMs } from './politeness.js'
import { requestReport } from './request-report.js'
import type { RobotsCopy } from './robots-keeper.js'
import type { Turn, Turns } from './turns.js'

/** A turn to ask for a page, and the robots.txt it is asked under. */
export interface Admission {
  readonly turn: Turn
  readonly robots: RobotsCopy
}

export interface RobotsGate {
  readonly shared: SharedFetch
  readonly turns: Turns
  readonly signal: AbortSignal | undefined
  /** Takes the exchanges of robots.txt that were needed. */
  readonly exchanges: HttpExchange[]
}

/**
 * Waits for a turn at the queue and for the robots.txt of the URL's origin, which is fetched where it is not known: that takes a turn of its own,
 * also at other hosts where it redirects. Undefined if a turn could not be had.
 */
export async function admitByRobots(url: URL, queueId: string, gate: RobotsGate): Promise<Admission | undefined> {
  const first = await gate.turns.take(queueId)
  if (first === undefined) return undefined
  const known = knownRobots(url, gate.shared)
  if (known !== undefined) return { turn: first, robots: known }
  const robots = await askRobots(url, first, gate)
  const turn = robots === undefined ? undefined : await gate.turns.take(queueId)
  return robots === undefined || turn === undefined ? undefined : { turn, robots }
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

async function fetchOnce(origin: string, turn: Turn, { shared, turns, signal, exchanges }: RobotsGate): Promise<RobotsCopy | undefined> {
  const { config, clock, client, agentNames, headersFor } = shared
  const found = await fetchRobots(origin, turn, {
    client,
    config: config.robots,
    agentNames,
    headersFor,
    nowMs: () => clock.nowMs(),
    turnFor: async target => turns.take(await shared.queueIdOf(target.href)),
    endTurn: (used, result, rules) => {
      const delayMs = boundedCrawlDelayMs(rules?.crawlDelayMs, config.fetch)
      used.end(requestReport(result, { crawlDelayMs: delayMs === 'tooLong' ? undefined : delayMs }, config.fetch))
    },
    signal,
  })
  if (found === undefined || found.copy.causeClass === 'aborted') return undefined
  if (config.fetch.storesRobots) exchanges.push(...found.exchanges)
  const copy = shared.robots.keep(origin, found.copy)
  shared.counters.add(copy.rules === undefined ? 'fetch/robots_unreachable' : 'fetch/robots')
  if (copy.rules !== undefined) shared.onRobots?.({ origin, sitemaps: copy.rules.sitemaps, fetchedMs: copy.fetchedMs })
  return copy
}
