import type { FetchedPage, HttpExchange } from '../record/exchange.js'
import type { FetchItem, FetchOutcome, Redirect, SideRequest } from '../record/records.js'
import type { Url } from '../record/url.js'
import { isWholeRange } from './content-range.js'
import { FetchFailure } from './failure.js'
import type { SharedFetch } from './fetcher-options.js'
import { getInTurn } from './get-in-turn.js'
import { headerValueLike, headerValues } from './header-list.js'
import type { HttpAnswer, HttpResult } from './http-result.js'
import { failureRule, type Hop, outcomeOfAnswer, outcomeOfFailure, outcomeWithoutRequest, type RequestFacts } from './outcome.js'
import { boundedCrawlDelayMs } from './politeness.js'
import { locationRedirect, nextHop, refreshRedirect } from './redirect-rules.js'
import { isConditional } from './request-headers.js'
import { hostDelayOf, noteSideRequest, ownRequest, reachedHost, requestReport } from './request-report.js'
import { type Admission, admitByRobots } from './robots-gate.js'
import type { RobotsCopy } from './robots-keeper.js'
import { answerRule, isRedirectRule, type StatusRule, statusRule } from './status-rules.js'
import type { Turn, Turns } from './turns.js'

/** The fetch of one item: robots.txt first where it is not known, then the page, then where redirects lead. */
export class ItemFetch {
  readonly #pages: FetchedPage[] = []
  /** URLs asked for, with the cookies that were sent. */
  readonly #visited = new Map<string, string | undefined>()
  #startOrigin = ''
  #exchanges: HttpExchange[] = []
  #requests: SideRequest[] = []

  constructor(
    readonly shared: SharedFetch,
    readonly turns: Turns,
    readonly signal: AbortSignal | undefined,
  ) {}

  async run({ url, datum, queueId }: FetchItem): Promise<readonly FetchedPage[]> {
    this.#startOrigin = new URL(url).origin
    let hop: Hop | undefined = { url, datum, queueId: this.shared.config.fetch.queueMode === 'byIP' ? await this.shared.queueIdOf(url) : queueId }
    for (let followed = 0; hop !== undefined; followed++) {
      const next: Hop | undefined = await this.#fetchHop(hop, followed)
      hop = next
    }
    this.shared.unstored.push(...this.#exchanges)
    this.shared.untold.push(...this.#requests)
    return this.#pages
  }

  /** Fetches one URL and notes its outcome. Gives the next hop of a redirect that is followed. */
  async #fetchHop(hop: Hop, followed: number): Promise<Hop | undefined> {
    const { shared, turns, signal } = this
    const url = new URL(hop.url)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      this.#note(hop, { status: 'fetch_gone', protocolStatus: 'proto_not_found', cause: `${url.protocol} is not spoken`, causeClass: 'protocol' })
      return undefined
    }
    const startOrigin = this.#startOrigin
    const admission = await admitByRobots(url, hop.queueId, {
      shared,
      turns,
      signal,
      startOrigin,
      exchanges: this.#exchanges,
      requests: this.#requests,
    })
    if (admission === undefined) return undefined
    const { robots, turn } = admission
    const crawlDelayMs = this.#crawlDelay(hop, admission)
    if (turn === undefined) return undefined
    if (crawlDelayMs !== 'denied') return this.#request(hop, url, { turn, robots, crawlDelayMs, followed })
    turn.cancel()
    return undefined
  }

  /** The Crawl-delay to keep, or `denied` when robots.txt forbids the page and its outcome is noted. */
  #crawlDelay(hop: Hop, { robots, decision }: Admission): number | undefined | 'denied' {
    const { rules, cause, causeClass = 'robots', expiresMs, fetchedMs } = robots
    if (rules === undefined || decision === undefined) {
      const until = new Date(expiresMs).toISOString()
      this.#note(hop, { ...failureRule(causeClass), cause: `${cause}; not asked again before ${until}`, causeClass, robotsFetchedMs: fetchedMs })
      return 'denied'
    }
    const delayMs = boundedCrawlDelayMs(rules.crawlDelayMs, this.shared.config.fetch)
    if (decision.allowed && delayMs !== 'tooLong') return delayMs
    const why = decision.allowed
      ? `Crawl-delay of ${(rules.crawlDelayMs ?? 0) / 1000} s is above fetcher.max.crawl.delay`
      : `${decision.line === null ? '' : `line ${decision.line}: `}${decision.rule}`
    const denial = { status: 'fetch_gone', protocolStatus: 'robots_denied', causeClass: 'robots' } as const
    this.#note(hop, { ...denial, cause: `denied by robots.txt, ${why}`, robotsFetchedMs: fetchedMs })
    return 'denied'
  }

  async #request(
    hop: Hop,
    url: URL,
    { turn, robots, crawlDelayMs, followed }: { turn: Turn; robots: RobotsCopy; crawlDelayMs: number | undefined; followed: number },
  ): Promise<Hop | undefined> {
    const { client, config } = this.shared
    const headers = this.#headersFor(url, hop)
    const delays = { crawlDelayMs, hostDelayMs: hostDelayOf(hop.datum) }
    const endTurn = (used: Turn, ended: HttpResult): void => used.end(requestReport(ended, delays, config.fetch))
    const repeat = { url: url.href, kind: 'repeat' } as const
    const sent = await getInTurn({ url, kind: 'page', headers }, turn, {
      client,
      endTurn: (used, ended) => {
        this.#requests.push(...noteSideRequest(used, ended, repeat))
        endTurn(used, ended)
      },
      nextTurn: () => this.turns.take(hop.queueId),
      signal: this.signal,
    })
    if (sent === undefined) return undefined
    const { result } = sent
    endTurn(sent.turn, result)
    const failure = result.isAnswer ? this.#brokenAnswer(result) : result.failure
    if (failure?.failureClass === 'aborted') {
      this.#requests.push(...noteSideRequest(sent.turn, result, repeat)) // a later run asks for it again
      return undefined
    }
    const facts = { ...(reachedHost(result) ? { turn: sent.turn } : {}), robotsFetchedMs: robots.fetchedMs }
    if (result.isAnswer) this.#takeCookies(url, result)
    if (result.isAnswer && failure === undefined)
      return this.#takeAnswer(hop, wholeOrCut(result), { facts, followed, isConditional: isConditional(headers) })
    const address = result.isAnswer ? result.exchange.address : result.address
    if (result.isAnswer) this.#exchanges.push(result.exchange)
    const seen = {
      failure: failure ?? new FetchFailure('protocol', 'no answer'),
      timing: result.timing,
      ...(address === undefined ? {} : { address }),
    }
    this.#push(hop, outcomeOfFailure(hop, seen, facts))
    return undefined
  }

  #headersFor(url: URL, hop: Hop): string[] {
    const headers = this.shared.headersFor(url, { datum: hop.datum, startOrigin: this.#startOrigin })
    const cookie = this.#cookieFor(url)
    this.#visited.set(hop.url, cookie)
    if (cookie !== undefined) headers.push('Cookie', cookie)
    return headers
  }

  #cookieFor(url: URL): string | undefined {
    return this.shared.cookies?.headerFor(url, this.shared.clock.nowMs())
  }

  #takeCookies(url: URL, { headers }: HttpAnswer): void {
    this.shared.cookies?.take(url, headerValues(headers, 'set-cookie'), this.shared.clock.nowMs())
  }

  /** An answer whose body broke off is a failure, unless it is a redirect, an error, or what came is kept. */
  #brokenAnswer({ status, headers, truncated, failure, exchange }: HttpAnswer): FetchFailure | undefined {
    if (truncated === undefined || truncated === 'length') return undefined
    if (failure?.failureClass === 'aborted') return failure
    if (statusRule(status, headerValueLike(headers, 'location') !== undefined).status !== 'fetch_success') return undefined
    if (this.shared.config.http.keepsPartial && exchange.payload.length > 0) return undefined
    return failure ?? new FetchFailure('disconnect', 'the content broke off')
  }

  async #takeAnswer(
    hop: Hop,
    answer: HttpAnswer,
    { facts, followed, isConditional: asksChange }: { facts: RequestFacts; followed: number; isConditional: boolean },
  ): Promise<Hop | undefined> {
    const { config, admitUrl } = this.shared
    const location = headerValueLike(answer.headers, 'location')
    const rule = answerRule(answer.status, { hasLocation: location !== undefined, isConditional: asksChange })
    const isRedirect = isRedirectRule(rule)
    const redirect = isRedirect
      ? this.#redirectOf(hop, location, rule, followed)
      : rule.status === 'fetch_success'
        ? refreshRedirect(hop, answer, admitUrl)
        : undefined
    const isFollowed = isRedirect && redirect?.target !== undefined && followed < config.http.maxRedirects && !this.#isListed(hop, redirect.target)
    this.#exchanges.push(isRedirect ? { ...answer.exchange, kind: 'redirect' } : answer.exchange)
    this.#push(hop, outcomeOfAnswer(hop, answer, { rule, redirect, facts, config: config.http }))
    if (!isFollowed || redirect?.target === undefined) return undefined
    return nextHop(hop, redirect.target, { queueId: await this.shared.queueIdOf(redirect.target), kind: redirect.kind })
  }

  #redirectOf(hop: Hop, location: string | undefined, { status }: StatusRule, followed: number): Redirect {
    const { admitUrl, config, redirects } = this.shared
    return locationRedirect(hop, location, status === 'fetch_redir_perm' ? 'perm' : 'temp', {
      admitUrl,
      http: config.http,
      followed,
      isVisited: url => this.#isVisited(url),
      isRepeated: url => !this.#visited.has(url) && redirects.isRepeated(url),
    })
  }

  /** A list fetches its URLs itself, each once and in its turn; one that redirects to itself is asked again all the same. */
  #isListed(hop: Hop, target: Url): boolean {
    return target !== hop.url && this.shared.isListed?.(target) === true
  }

  #isVisited(url: Url): boolean {
    return this.#visited.has(url) && this.#visited.get(url) === this.#cookieFor(new URL(url))
  }

  #note(hop: Hop, said: Parameters<typeof outcomeWithoutRequest>[2]): void {
    this.#push(hop, outcomeWithoutRequest(hop, this.shared.clock.nowMs(), said))
  }

  /** Notes an outcome. A URL asked for again in the same chain, for its cookies, has one outcome: the last. */
  #push({ queueId }: Hop, given: FetchOutcome): void {
    const requests = [...this.shared.untold.splice(0), ...this.#requests]
    this.#requests = []
    const outcome = requests.length === 0 ? given : { ...given, sideRequests: requests }
    this.shared.log.debug({ url: outcome.url, status: outcome.status, httpStatus: outcome.httpStatus, cause: outcome.cause }, 'fetched')
    const exchanges = [...this.shared.unstored.splice(0), ...this.#exchanges]
    this.#exchanges = []
    const before = this.#pages.findIndex(page => page.outcome.url === outcome.url)
    const earlier = this.#pages[before]
    if (earlier === undefined) this.#pages.push({ outcome, exchanges })
    else
      this.#pages[before] = {
        outcome: { ...outcome, ...toldBefore(earlier.outcome, queueId, requests) },
        exchanges: [...earlier.exchanges, ...exchanges],
      }
  }
}

/** What the first of two outcomes of one URL told of, and its own request. */
function toldBefore(outcome: FetchOutcome, queueId: string, later: readonly SideRequest[]): Partial<FetchOutcome> {
  const own = ownRequest(outcome).map((request): SideRequest => ({ ...request, queueId, kind: 'repeat' }))
  return { sideRequests: [...(outcome.sideRequests ?? []), ...own, ...later] }
}

/** A 206 to a request without a range is a part, unless it says that it is all. */
function wholeOrCut(answer: HttpAnswer): HttpAnswer {
  if (answer.status !== 206 || answer.truncated !== undefined) return answer
  return isWholeRange(headerValueLike(answer.headers, 'content-range')) ? answer : { ...answer, truncated: 'length' }
}
