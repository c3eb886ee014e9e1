import type { FetchedPage, HttpExchange } from '../record/exchange.js'
import { metadataKeys } from '../record/metadata.js'
import type { DbDatum, FetchItem, FetchOutcome, Redirect } from '../record/records.js'
import { FetchFailure } from './failure.js'
import { allowAll, fetchRobots } from './fetch-robots.js'
import { headerValue, headerValueLike } from './header-list.js'
import type { HttpAnswer, HttpResult } from './http-client.js'
import { retryAfterMs } from './http-date.js'
import { failureRule, type Hop, outcomeOfAnswer, outcomeOfFailure, outcomeWithoutRequest } from './outcome.js'
import type { PageFetcherOptions, RecentRedirects } from './page-fetcher.js'
import { boundedCrawlDelayMs } from './politeness.js'
import { parseRefresh, redirectTarget } from './redirect-target.js'
import { chooseRepresentative } from './representative-url.js'
import { isConditional } from './request-headers.js'
import type { RobotsCopy, RobotsKeeper } from './robots-keeper.js'
import { isRedirectRule, type StatusRule, statusRule } from './status-rules.js'
import type { RequestReport, Turn, Turns } from './turns.js'

/** What all fetches of one fetcher share. */
export interface SharedFetch extends PageFetcherOptions {
  readonly queueIdOf: (url: string) => string | Promise<string>
  readonly headersFor: (url: URL, datum?: DbDatum) => string[]
  readonly agentNames: readonly string[]
  readonly robots: RobotsKeeper
  readonly redirects: RecentRedirects
  /** Exchanges whose item was given back: they go out with the next page. */
  readonly unstored: HttpExchange[]
}

/** The fetch of one item: robots.txt first where it is not known, then the page, then where redirects lead. */
export class ItemFetch {
  readonly #pages: FetchedPage[] = []
  readonly #visited = new Set<string>()
  #exchanges: HttpExchange[] = []

  constructor(
    readonly shared: SharedFetch,
    readonly turns: Turns,
    readonly signal: AbortSignal | undefined,
  ) {}

  async run({ url, datum, queueId }: FetchItem): Promise<readonly FetchedPage[]> {
    let hop: Hop | undefined = { url, datum, queueId }
    for (let followed = 0; hop !== undefined; followed++) {
      const next: Hop | undefined = await this.#fetchHop(hop, followed)
      hop = next
    }
    return this.#pages
  }

  /** Fetches one URL and notes its outcome. Gives the next hop of a redirect that is followed. */
  async #fetchHop(hop: Hop, followed: number): Promise<Hop | undefined> {
    this.#visited.add(hop.url)
    const url = new URL(hop.url)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      this.#note(hop, { status: 'fetch_gone', protocolStatus: 'proto_not_found', cause: `${url.protocol} is not spoken`, causeClass: 'protocol' })
      return undefined
    }
    let turn = await this.turns.take(hop.queueId)
    const copy = turn === undefined ? undefined : (this.#knownRobots(url) ?? (await this.#askRobots(url, turn)))
    if (turn !== undefined && copy === 'asked') turn = await this.turns.take(hop.queueId)
    const robots = copy === 'asked' ? this.#knownRobots(url) : copy
    if (turn === undefined || robots === undefined) {
      turn?.cancel()
      this.shared.unstored.push(...this.#exchanges.splice(0))
      return undefined
    }
    const crawlDelayMs = this.#admit(hop, robots)
    if (crawlDelayMs === 'denied') {
      turn.cancel()
      return undefined
    }
    return this.#request(hop, { url, turn, robots, crawlDelayMs, followed })
  }

  #knownRobots(url: URL): RobotsCopy | undefined {
    const { robots, clock } = this.shared
    if (robots.isExempt(url.hostname)) return { rules: allowAll.forAgents([]), fetchedMs: clock.nowMs(), expiresMs: Number.POSITIVE_INFINITY }
    return robots.find(url.origin)
  }

  /** Fetches robots.txt with this turn, or gives the turn back while another item does. `asked`: the turn is used up. */
  async #askRobots(url: URL, turn: Turn): Promise<'asked' | undefined> {
    const { shared } = this
    const pending = shared.robots.pending(url.origin)
    if (pending !== undefined) {
      turn.cancel()
      await pending
      return 'asked'
    }
    let isFound = true
    const fetching = fetchRobots(url.origin, turn, {
      client: shared.client,
      config: shared.config.robots,
      agentNames: shared.agentNames,
      headersFor: shared.headersFor,
      nowMs: () => shared.clock.nowMs(),
      turnFor: async target => this.turns.take(await shared.queueIdOf(target.href)),
      endTurn: (used, result, rules) => {
        const delayMs = boundedCrawlDelayMs(rules?.crawlDelayMs, shared.config.fetch)
        used.end(this.#report(result, { crawlDelayMs: delayMs === 'tooLong' ? undefined : delayMs }))
      },
      signal: this.signal,
    }).then(found => {
      isFound = found !== undefined
      if (found === undefined) return
      if (shared.config.fetch.storesRobots) this.#exchanges.push(...found.exchanges)
      const copy = shared.robots.keep(url.origin, found.copy)
      shared.counters.add(copy.rules === undefined ? 'fetch/robots_unreachable' : 'fetch/robots')
      if (copy.rules !== undefined) shared.onRobots?.({ origin: url.origin, sitemaps: copy.rules.sitemaps, fetchedMs: copy.fetchedMs })
    })
    shared.robots.announce(url.origin, fetching)
    await fetching
    return isFound ? 'asked' : undefined
  }

  /** What robots.txt says of the page: the Crawl-delay to keep, or `denied` when its outcome is already noted. */
  #admit(hop: Hop, { rules, cause, causeClass = 'robots', expiresMs, fetchedMs }: RobotsCopy): number | undefined | 'denied' {
    if (rules === undefined) {
      const until = new Date(expiresMs).toISOString()
      this.#note(hop, { ...failureRule(causeClass), cause: `${cause}; not asked again before ${until}`, causeClass, robotsFetchedMs: fetchedMs })
      return 'denied'
    }
    const decision = rules.decide(hop.url)
    const delayMs = boundedCrawlDelayMs(rules.crawlDelayMs, this.shared.config.fetch)
    if (decision.allowed && delayMs !== 'tooLong') return delayMs
    const why = decision.allowed
      ? `Crawl-delay of ${(rules.crawlDelayMs ?? 0) / 1000} s is above fetcher.max.crawl.delay`
      : `line ${decision.line}: ${decision.rule}`
    this.#note(hop, {
      status: 'fetch_gone',
      protocolStatus: 'robots_denied',
      cause: `denied by robots.txt, ${why}`,
      causeClass: 'robots',
      robotsFetchedMs: fetchedMs,
    })
    return 'denied'
  }

  async #request(
    hop: Hop,
    { url, turn, robots, crawlDelayMs, followed }: { url: URL; turn: Turn; robots: RobotsCopy; crawlDelayMs: number | undefined; followed: number },
  ): Promise<Hop | undefined> {
    const { shared } = this
    const headers = shared.headersFor(url, hop.datum)
    const result = await shared.client.get({ url, kind: 'page', headers }, this.signal)
    turn.end(this.#report(result, { crawlDelayMs, hostDelayMs: hostDelayOf(hop.datum) }))
    const facts = { turn, robotsFetchedMs: robots.fetchedMs }
    const failure = result.isAnswer ? this.#brokenAnswer(result) : result.failure
    if (result.isAnswer && failure === undefined) return this.#takeAnswer(hop, result, { facts, followed, isConditional: isConditional(headers) })
    const address = result.isAnswer ? result.exchange.address : result.address
    if (result.isAnswer) this.#exchanges.push(result.exchange)
    this.#push(
      outcomeOfFailure(hop, { failure: failure as FetchFailure, timing: result.timing, ...(address === undefined ? {} : { address }) }, facts),
    )
    return undefined
  }

  /** An answer whose body broke off is a failure, unless it is a redirect or what came is kept. */
  #brokenAnswer({ status, headers, truncated, failure, exchange }: HttpAnswer): FetchFailure | undefined {
    if (truncated === undefined || truncated === 'length') return undefined
    if (failure?.failureClass === 'aborted') return failure
    const rule = statusRule(status, headerValueLike(headers, 'location') !== undefined)
    if (rule.status !== 'fetch_success') return undefined
    if (this.shared.config.http.keepsPartial && exchange.payload.length > 0) return undefined
    return failure ?? new FetchFailure('disconnect', 'the content broke off')
  }

  async #takeAnswer(
    hop: Hop,
    answer: HttpAnswer,
    { facts, followed, isConditional: asksChange }: { facts: { turn: Turn; robotsFetchedMs: number }; followed: number; isConditional: boolean },
  ): Promise<Hop | undefined> {
    const { config } = this.shared
    const location = headerValueLike(answer.headers, 'location')
    const rule = answer.status === 304 && !asksChange ? unaskedNotModified : statusRule(answer.status, location !== undefined)
    const redirect = isRedirectRule(rule) ? this.#redirectOf(hop, location, { rule, followed }) : this.#refreshOf(hop, answer, rule)
    const next = isRedirectRule(rule) && redirect?.target !== undefined ? await this.#nextHop(hop, redirect, followed) : undefined
    this.#exchanges.push(next === undefined || rule.status === 'fetch_success' ? answer.exchange : { ...answer.exchange, kind: 'redirect' })
    this.#push(outcomeOfAnswer(hop, answer, { rule, redirect, facts, config: config.http }))
    return next
  }

  #redirectOf(hop: Hop, location: string | undefined, { rule, followed }: { rule: StatusRule; followed: number }): Redirect {
    const { config, redirects } = this.shared
    const kind = rule.status === 'fetch_redir_perm' ? 'perm' : 'temp'
    const to = location === undefined ? undefined : redirectTarget(hop.url, location)
    if (to === undefined) return { to: location ?? '', dropped: location === undefined ? 'no_location' : 'malformed', kind, via: 'location' }
    const admitted = this.shared.admitUrl(to)
    if ('dropped' in admitted) return { to, dropped: admitted.dropped, kind, via: 'location' }
    const { url: target } = admitted
    const dropped = ((): string | undefined => {
      if (target === hop.url) return 'self'
      if (this.#visited.has(target)) return 'loop'
      const { maxRedirects, skipsExceededRedirect } = config.http
      if (maxRedirects > 0 && followed >= maxRedirects && skipsExceededRedirect) return 'exceeded'
      return redirects.isRepeated(target) ? 'recent' : undefined
    })()
    return dropped === undefined ? { to, target, kind, via: 'location' } : { to, dropped, kind, via: 'location' }
  }

  /** A Refresh header to another page: noted for the parser's links, not followed here. */
  #refreshOf(hop: Hop, { headers }: HttpAnswer, { status }: StatusRule): Redirect | undefined {
    const value = status === 'fetch_success' ? headerValue(headers, 'refresh') : undefined
    const refresh = value === undefined ? undefined : parseRefresh(value)
    if (refresh === undefined || refresh.url === '') return undefined
    const to = redirectTarget(hop.url, refresh.url)
    if (to === undefined) return { to: refresh.url, dropped: 'malformed', kind: 'temp', via: 'refresh' }
    const admitted = this.shared.admitUrl(to)
    const kind = refresh.delayS < 5 ? 'temp' : 'perm'
    if ('dropped' in admitted) return { to, dropped: admitted.dropped, kind, via: 'refresh' }
    return admitted.url === hop.url ? undefined : { to, target: admitted.url, kind, via: 'refresh' }
  }

  async #nextHop(hop: Hop, { target, kind }: Redirect, followed: number): Promise<Hop | undefined> {
    if (target === undefined || followed >= this.shared.config.http.maxRedirects) return undefined
    const { datum } = hop
    const representative = chooseRepresentative(hop.representative ?? hop.url, target, kind === 'temp')
    const { etag, lastModified, protocolStatus, httpCode, responseTime, contentType, cause } = metadataKeys
    const own: ReadonlySet<string> = new Set([etag, lastModified, protocolStatus, httpCode, responseTime, contentType, cause])
    const metadata = Object.fromEntries(Object.entries(datum.metadata).filter(([key]) => !own.has(key)))
    const { fetchIntervalS, score, fetchTimeMs } = datum
    return {
      url: target,
      queueId: await this.shared.queueIdOf(target),
      datum: { url: target, status: 'db_unfetched', fetchTimeMs, modifiedTimeMs: 0, retries: 0, fetchIntervalS, score, metadata },
      representative,
    }
  }

  #report(result: HttpResult, { crawlDelayMs, hostDelayMs }: { crawlDelayMs?: number | undefined; hostDelayMs?: number | undefined }): RequestReport {
    const { config, clock } = this.shared
    const { timing } = result
    const status = result.isAnswer ? result.status : 0
    const isThrottled = status === 429 || status === 503
    const askedMs =
      isThrottled && result.isAnswer
        ? retryAfterMs(headerValue(result.headers, 'retry-after'), clock.nowMs(), config.fetch.maxRetryAfterMs)
        : undefined
    const isException = result.isAnswer
      ? statusRule(status, true).isException
      : result.failure.failureClass !== 'aborted' && result.failure.failureClass !== 'guard'
    return {
      endMs: timing.endMs,
      tookMs: timing.endMs - timing.startMs,
      isException,
      isThrottled,
      ...(askedMs === undefined ? {} : { retryAfterMs: askedMs }),
      ...(crawlDelayMs === undefined ? {} : { crawlDelayMs }),
      ...(hostDelayMs === undefined ? {} : { hostDelayMs }),
    }
  }

  #note(hop: Hop, said: Parameters<typeof outcomeWithoutRequest>[2]): void {
    this.#push(outcomeWithoutRequest(hop, this.shared.clock.nowMs(), said))
  }

  #push(outcome: FetchOutcome): void {
    const { log, counters, unstored } = this.shared
    counters.add(`fetch/${outcome.status}`)
    if (outcome.causeClass !== undefined) counters.add(`fetch/cause/${outcome.causeClass}`)
    log.debug({ url: outcome.url, status: outcome.status, httpStatus: outcome.httpStatus, cause: outcome.cause }, 'fetched')
    this.#pages.push({ outcome, exchanges: [...unstored.splice(0), ...this.#exchanges] })
    this.#exchanges = []
  }
}

/** 304 to a request that did not ask for changes. */
const unaskedNotModified: StatusRule = { protocolStatus: 'exception', status: 'fetch_retry', isException: false }

function hostDelayOf({ metadata }: DbDatum): number | undefined {
  const text = metadata[metadataKeys.variableFetchDelay]
  const delayMs = text === undefined ? Number.NaN : Number(text)
  return Number.isFinite(delayMs) && delayMs >= 0 ? delayMs : undefined
}
