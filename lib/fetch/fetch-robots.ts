import type { RobotsConfig } from '../config/robots-options.js'
import type { HttpExchange } from '../record/exchange.js'
import { parseRobots } from '../robots/parse-robots.js'
import { compilePattern } from '../robots/path-pattern.js'
import { type AgentRules, RobotsRules } from '../robots/robots-rules.js'
import { robotsLimitBytes } from '../robots/robots-text.js'
import { isWholeRange } from './content-range.js'
import type { FailureClass } from './failure.js'
import { getInTurn, type InTurn } from './get-in-turn.js'
import { headerValueLike } from './header-list.js'
import type { HttpClient } from './http-client.js'
import type { HttpAnswer, HttpRequest, HttpResult } from './http-result.js'
import { redirectTarget } from './redirect-target.js'
import type { RobotsCopy } from './robots-keeper.js'
import type { Turn } from './turns.js'

export interface RobotsFetch {
  readonly client: HttpClient
  readonly config: RobotsConfig
  readonly agentNames: readonly string[]
  readonly headersFor: (url: URL) => string[]
  readonly nowMs: () => number
  /** A turn at the queue of this URL, or undefined if there is none to be had. */
  readonly turnFor: (url: URL) => Promise<Turn | undefined>
  /** Tells the turn how its request ended. */
  readonly endTurn: (turn: Turn, result: HttpResult, rules?: AgentRules) => void
  readonly signal: AbortSignal | undefined
}

export interface RobotsFound {
  readonly copy: RobotsCopy
  readonly exchanges: readonly HttpExchange[]
  /** Whether the file was longer than what is read of it. */
  readonly isCut: boolean
}

/**
 * Asks for the robots.txt of an origin and says what follows from the answer (RFC 9309 §2.3.1): 2xx is read, redirects are followed across hosts,
 * 4xx but the proxy's 407 allows everything, 5xx, too many redirects and no answer forbid everything for `http.robots.503.defer.visits.delay`.
 * Undefined if a turn on the way could not be had.
 */
export async function fetchRobots(origin: string, firstTurn: Turn, fetch: RobotsFetch): Promise<RobotsFound | undefined> {
  const exchanges: HttpExchange[] = []
  let url = new URL('/robots.txt', origin)
  let turn: Turn | undefined = firstTurn
  for (let followed = 0; ; followed++) {
    const asked: URL = url
    const request: HttpRequest = { url: asked, kind: 'robots', headers: fetch.headersFor(asked), contentLimitBytes: robotsLimitBytes + 1 }
    const sent: InTurn | undefined = await getInTurn(request, turn, { ...fetch, nextTurn: () => fetch.turnFor(asked) })
    if (sent === undefined) return undefined
    const { result } = sent
    if (result.isAnswer) exchanges.push(result.exchange)
    const target = result.isAnswer && result.status >= 300 && result.status < 400 ? targetOf(result, url) : undefined
    if (target === undefined || followed === fetch.config.maxRedirects) {
      const copy = copyFrom(result, fetch, followed > 0)
      fetch.endTurn(sent.turn, result, copy.rules)
      return { copy, exchanges, isCut: result.isAnswer && result.exchange.payload.length > robotsLimitBytes }
    }
    fetch.endTurn(sent.turn, result)
    url = target
    turn = await fetch.turnFor(url)
    if (turn === undefined) return undefined
  }
}

function targetOf({ headers }: HttpAnswer, base: URL): URL | undefined {
  const location = headerValueLike(headers, 'location')
  const target = location === undefined ? undefined : redirectTarget(base.href, location)
  return target !== undefined && /^https?:/.test(target) ? new URL(target) : undefined
}

function copyFrom(result: HttpResult, fetch: RobotsFetch, isRedirected: boolean): RobotsCopy {
  const { config } = fetch
  const nowMs = fetch.nowMs()
  const readable = (rules: RobotsRules): RobotsCopy => ({
    rules: rules.forAgents(fetch.agentNames),
    fetchedMs: nowMs,
    expiresMs: nowMs + config.ttlMs,
  })
  const unreachable = (cause: string, causeClass: FailureClass | 'robots'): RobotsCopy =>
    config.defersOn503 ? { rules: undefined, fetchedMs: nowMs, expiresMs: nowMs + config.deferMs, cause, causeClass } : readable(allowAll)
  if (!result.isAnswer) {
    const { message, failureClass } = result.failure
    // That the guard refuses where robots.txt leads says nothing of the pages themselves.
    return unreachable(`robots.txt unreachable: ${message}`, isRedirected && failureClass === 'guard' ? 'robots' : failureClass)
  }
  const { status, headers, truncated, failure, exchange } = result
  if (status >= 200 && status < 300) {
    if (status === 206 && !isWholeRange(headerValueLike(headers, 'content-range'))) return unreachable('robots.txt came in part', 'robots')
    if (truncated === undefined || truncated === 'length') return readable(parseRobots(exchange.payload))
    return unreachable(`robots.txt broke off: ${failure?.message ?? truncated}`, failure?.failureClass ?? 'robots')
  }
  if (status === 407) return unreachable('robots.txt not asked for: the proxy answered 407', 'proxy') // of the site it says nothing
  if (status === 401 || status === 403) return readable(config.allows403 ? allowAll : forbidAll)
  if (status >= 400 && status < 500) return readable(allowAll)
  return unreachable(status < 400 ? 'robots.txt: too many redirects, or one that leads nowhere' : `robots.txt answered ${status}`, 'robots')
}

/** What an absent robots.txt says. */
export const allowAll = new RobotsRules([], [])
/** What one that is forbidden itself says where `http.robots.403.allow` is off: a rule that stands in no line. */
const forbidAll = new RobotsRules(
  [{ agents: ['*'], rules: [{ allows: false, pattern: compilePattern('/'), text: 'it answered 401 or 403', line: null }], delays: new Map() }],
  [],
)
