import { isIP } from 'node:net'
import type { HttpConfig } from '../config/http-options.js'
import type { Clock } from '../log/clock.js'
import type { HttpExchange } from '../record/exchange.js'
import type { FetchTiming } from '../record/records.js'
import { createAddressGuard } from './address-guard.js'
import { type Attempt, cutNow, SignalWatch } from './attempt.js'
import { type Connect, createConnect } from './connect.js'
import { type ConnectTarget, connectTargetOf } from './connect-target.js'
import { Connection } from './connection.js'
import { ConnectionPool } from './connection-pool.js'
import { withoutCredentials } from './credentials.js'
import { ExchangeRun, type RunEnd } from './exchange-run.js'
import { FetchFailure, toFailure } from './failure.js'
import type { HttpRequest, HttpResult } from './http-result.js'
import type { Resolve } from './name-servers.js'
import { proxyOf } from './proxy.js'
import { createResolver } from './resolver.js'
import { systemTimers, type Timer, type Timers } from './timers.js'
import { undoContent, undoTransfer } from './undo-codings.js'

/** Sends requests, one connection each, and never rejects: what goes wrong is a result. */
export interface HttpClient {
  get(request: HttpRequest, signal?: AbortSignal): Promise<HttpResult>
  /** An address of the host by the client's resolver, or undefined if it has none. */
  addressOf(hostname: string): Promise<string | undefined>
  /** Connections open now, idle ones included. */
  openConnections(): number
  close(): void
}

export interface HttpClientOptions {
  readonly config: HttpConfig
  readonly clock: Clock
  readonly timers?: Timers
  /** @defaultValue the system's resolver behind a cache */
  readonly resolve?: Resolve
}

/** The client for `http.*`. @throws {CrawlError} CONFIG_INVALID for an address range that is none */
export function createHttpClient({ config, clock, timers = systemTimers, resolve }: HttpClientOptions): HttpClient {
  const family = config.ipPreference === 'any' ? 0 : config.ipPreference === '4' ? 4 : 6
  const proxy = proxyOf(config)
  const resolveHost = resolve ?? createResolver({ clock, ttlMs: config.dnsTtlMs, negativeTtlMs: config.dnsNegativeTtlMs, family })
  const connect = createConnect({
    guard: createAddressGuard({ allow: config.allowedAddresses, include: config.addressInclude, exclude: config.addressExclude }),
    resolve: resolveHost,
    checksCertificates: config.checksCertificates,
    offersHttp2: config.usesHttp2,
    ...(proxy === undefined ? {} : { proxy }),
  })
  return new PooledClient({ config, clock, timers, connect, resolve: resolveHost, proxyAuthorization: proxy?.authorization })
}

interface ClientParts {
  readonly config: HttpConfig
  readonly clock: Clock
  readonly timers: Timers
  readonly connect: Connect
  readonly resolve: Resolve
  readonly proxyAuthorization: string | undefined
}

class PooledClient implements HttpClient {
  readonly #pool: ConnectionPool
  readonly #open = new Set<Connection>()
  readonly #watch = new SignalWatch()

  constructor(readonly parts: ClientParts) {
    this.#pool = new ConnectionPool(parts.config.maxIdleConnections)
  }

  async addressOf(hostname: string): Promise<string | undefined> {
    if (isIP(hostname) !== 0 || hostname.startsWith('[')) return hostname
    try {
      return (await this.parts.resolve(hostname))[0]?.address
    } catch {
      return undefined // the request itself will say so
    }
  }

  openConnections(): number {
    return this.#open.size
  }

  close(): void {
    this.#pool.close()
    for (const connection of this.#open) connection.close()
  }

  async get(request: HttpRequest, signal?: AbortSignal): Promise<HttpResult> {
    const attempt: Attempt = { request, startMs: this.parts.clock.nowMs(), startTick: performance.now(), cut: undefined, cutBy: undefined }
    const { timeLimitMs } = this.parts.config
    const limit: Timer | undefined =
      timeLimitMs < 0
        ? undefined
        : this.parts.timers.start(timeLimitMs, () => cutNow(attempt, new FetchFailure('timeout', `timeout: not done within ${timeLimitMs} ms`)))
    if (signal !== undefined) this.#watch.add(signal, attempt)
    try {
      return await this.#attempt(attempt, true)
    } catch (error) {
      return { isAnswer: false, failure: toFailure(error), timing: this.#timing(attempt) }
    } finally {
      limit?.cancel()
      if (signal !== undefined) this.#watch.delete(signal, attempt)
    }
  }

  async #attempt(attempt: Attempt, mayReuse: boolean): Promise<HttpResult> {
    const target = connectTargetOf(attempt.request.url)
    const origin = attempt.request.url.origin
    const kept = mayReuse && attempt.request.isRepeat !== true ? this.#pool.take(origin) : undefined
    const connection = kept ?? (await this.#connect(attempt, target, origin))
    const end = await this.#run(attempt, connection, kept !== undefined)
    const isStale = kept !== undefined && !end.isAnswered && end.failure?.failureClass === 'disconnect'
    const isUnsent = isStale && connection.requestHead === undefined
    if (isUnsent && attempt.cutBy === undefined) return this.#attempt(attempt, false)
    return this.#resultOf(attempt, connection, { isNew: kept === undefined, isStale }, end)
  }

  /** A new connection. Connecting has its own time, and ends with the request. */
  async #connect(attempt: Attempt, target: ConnectTarget, origin: string): Promise<Connection> {
    const aborter = new AbortController()
    const { timeoutMs } = this.parts.config
    attempt.cut = failure => aborter.abort(failure)
    const timer = this.parts.timers.start(timeoutMs, () =>
      aborter.abort(new FetchFailure('timeout', `timeout: no connection within ${timeoutMs} ms`)),
    )
    try {
      if (attempt.cutBy !== undefined) throw attempt.cutBy
      const connected = await this.parts.connect(target, aborter.signal)
      const connection = new Connection(origin, connected, {
        keepAliveMs: this.parts.config.idleConnectionMs,
        headerLimitBytes: this.parts.config.headerLimitBytes,
        offersHttp2: this.parts.config.usesHttp2,
      })
      this.#open.add(connection)
      connection.onClose(() => {
        this.#open.delete(connection)
        this.#pool.forget(connection)
      })
      return connection
    } finally {
      timer.cancel()
      attempt.cut = undefined
    }
  }

  async #run(attempt: Attempt, connection: Connection, isReused: boolean): Promise<RunEnd> {
    const { url, headers } = attempt.request
    const run = new ExchangeRun(
      {
        timeoutMs: this.parts.config.timeoutMs,
        bodyLimitBytes: bodyLimitOf(attempt.request, this.parts.config),
        headerLimitBytes: this.parts.config.headerLimitBytes,
        minRateBytesPerS: this.parts.config.minRateBytesPerS,
        isReused,
      },
      this.parts.timers,
      () => connection.release(),
    )
    attempt.cut = failure => run.cut(failure)
    if (attempt.cutBy !== undefined) run.cut(attempt.cutBy)
    const { isProxied } = connection.connected
    const path = isProxied ? url.origin + url.pathname + url.search : url.pathname + url.search
    const sent =
      isProxied && this.parts.proxyAuthorization !== undefined ? [...headers, 'Proxy-Authorization', this.parts.proxyAuthorization] : headers
    connection.send(path, sent, run)
    const end = await run.ended
    attempt.cut = undefined
    if (end.isReusable) this.#pool.keep(connection)
    else connection.close()
    return end
  }

  async #resultOf(
    attempt: Attempt,
    connection: Connection,
    { isNew, isStale }: { isNew: boolean; isStale: boolean },
    end: RunEnd,
  ): Promise<HttpResult> {
    const { address, dnsMs, connectMs } = connection.connected
    const timing: FetchTiming = {
      ...this.#timing(attempt),
      ...(isNew ? { dnsMs: Math.round(dnsMs), connectMs: Math.round(connectMs) } : {}),
      ...(end.firstByteTick === undefined ? {} : { firstByteMs: Math.round(end.firstByteTick - attempt.startTick) }),
    }
    if (end.head === undefined)
      return { isAnswer: false, failure: end.failure ?? new FetchFailure('protocol', 'no answer'), timing, address, isStale }
    const { head } = end
    const limits = { limitBytes: bodyLimitOf(attempt.request, this.parts.config), maxRatio: this.parts.config.maxUnpackRatio }
    const { payload: body, truncated: cutBody } = await undoTransfer(end.body, head.headers, limits)
    const decoded = await undoContent(body, head.headers, { url: attempt.request.url, limits })
    const broken = end.truncated ?? cutBody
    const truncated = broken ?? decoded.truncated
    const exchange: HttpExchange = {
      kind: attempt.request.kind,
      url: attempt.request.url.href,
      startMs: timing.startMs,
      endMs: timing.endMs,
      address,
      protocol: head.protocol,
      requestHead: withoutCredentials(connection.requestHead ?? new Uint8Array()),
      responseHead: head.bytes,
      body,
      payload: decoded.payload,
      ...(broken === undefined ? {} : { truncated: broken }),
    }
    return {
      isAnswer: true,
      exchange,
      status: head.status,
      headers: head.headers,
      ...(truncated === undefined ? {} : { truncated }),
      ...(end.failure === undefined ? {} : { failure: end.failure }),
      timing,
    }
  }

  #timing({ startMs }: Attempt): FetchTiming {
    return { startMs, endMs: Math.max(startMs, this.parts.clock.nowMs()) }
  }
}

function bodyLimitOf({ contentLimitBytes }: HttpRequest, config: HttpConfig): number {
  const limitBytes = contentLimitBytes ?? config.contentLimitBytes
  return limitBytes < 0 ? Number.MAX_SAFE_INTEGER : limitBytes
}
