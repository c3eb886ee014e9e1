import type { HttpConfig } from '../config/http-options.js'
import type { Clock } from '../log/clock.js'
import type { HttpExchange } from '../record/exchange.js'
import type { FetchTiming, TruncationReason } from '../record/records.js'
import { createAddressGuard } from './address-guard.js'
import { type Connect, type ConnectTarget, createConnect } from './connect.js'
import { Connection } from './connection.js'
import { ConnectionPool } from './connection-pool.js'
import { decodeContent } from './content-decoding.js'
import { ExchangeRun, type RunEnd } from './exchange-run.js'
import { FetchFailure, toFailure } from './failure.js'
import { type HeaderList, headerValue, headerValues } from './header-list.js'
import { proxyOf } from './proxy.js'
import { createResolver, type Resolve } from './resolver.js'
import { systemTimers, type Timer, type Timers } from './timers.js'

export interface HttpRequest {
  readonly url: URL
  readonly kind: HttpExchange['kind']
  /** Names and values in turn; Host and Connection are added. */
  readonly headers: string[]
  /** Longest content. @defaultValue `http.content.limit` */
  readonly contentLimitBytes?: number
}

/** A response whose head is complete; the body may be cut. */
export interface HttpAnswer {
  readonly isAnswer: true
  readonly exchange: HttpExchange
  readonly status: number
  readonly headers: HeaderList
  /** Set if body or unpacked payload are not whole. */
  readonly truncated?: TruncationReason
  /** Why it is not whole, where that is a failure. */
  readonly failure?: FetchFailure
  readonly timing: FetchTiming
}

export interface HttpFailure {
  readonly isAnswer: false
  readonly failure: FetchFailure
  readonly timing: FetchTiming
  readonly address?: string
}

export type HttpResult = HttpAnswer | HttpFailure

/** Sends requests, one connection each, and never rejects: what goes wrong is a result. */
export interface HttpClient {
  get(request: HttpRequest, signal?: AbortSignal): Promise<HttpResult>
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
  const connect = createConnect({
    guard: createAddressGuard({ allow: config.allowedAddresses, include: config.addressInclude, exclude: config.addressExclude }),
    resolve: resolve ?? createResolver({ clock, ttlMs: config.dnsTtlMs, negativeTtlMs: config.dnsNegativeTtlMs, family }),
    checksCertificates: config.checksCertificates,
    offersHttp2: config.usesHttp2,
    ...(proxy === undefined ? {} : { proxy }),
  })
  return new PooledClient(config, clock, timers, connect, proxy?.authorization)
}

/** What is known of a request while it is under way. */
interface Attempt {
  readonly request: HttpRequest
  readonly startMs: number
  readonly startTick: number
  /** Called when the request must end now. */
  cut: ((failure: FetchFailure) => void) | undefined
  /** Set when it was cut before there was anything to cut. */
  cutBy: FetchFailure | undefined
}

class PooledClient implements HttpClient {
  readonly #pool: ConnectionPool
  readonly #open = new Set<Connection>()
  readonly #bySignal = new WeakMap<AbortSignal, Set<Attempt>>()

  constructor(
    readonly config: HttpConfig,
    readonly clock: Clock,
    readonly timers: Timers,
    readonly connect: Connect,
    readonly proxyAuthorization: string | undefined,
  ) {
    this.#pool = new ConnectionPool(config.maxIdleConnections)
  }

  openConnections(): number {
    return this.#open.size
  }

  close(): void {
    this.#pool.close()
    for (const connection of this.#open) connection.close()
  }

  async get(request: HttpRequest, signal?: AbortSignal): Promise<HttpResult> {
    const attempt: Attempt = { request, startMs: this.clock.nowMs(), startTick: performance.now(), cut: undefined, cutBy: undefined }
    const { timeLimitMs } = this.config
    const limit: Timer | undefined =
      timeLimitMs < 0
        ? undefined
        : this.timers.start(timeLimitMs, () => cutNow(attempt, new FetchFailure('timeout', `timeout: not done within ${timeLimitMs} ms`)))
    const watched = signal === undefined ? undefined : this.#watch(signal, attempt)
    try {
      return await this.#attempt(attempt, true)
    } catch (error) {
      return { isAnswer: false, failure: toFailure(error), timing: this.#timing(attempt) }
    } finally {
      limit?.cancel()
      watched?.delete(attempt)
    }
  }

  async #attempt(attempt: Attempt, mayReuse: boolean): Promise<HttpResult> {
    const target = targetOf(attempt.request.url)
    const origin = attempt.request.url.origin
    const kept = mayReuse ? this.#pool.take(origin) : undefined
    const connection = kept ?? (await this.#connect(attempt, target, origin))
    const end = await this.#run(attempt, connection)
    const isStale = kept !== undefined && !end.isAnswered && end.failure?.failureClass === 'disconnect'
    if (isStale && attempt.cutBy === undefined) return this.#attempt(attempt, false)
    return this.#resultOf(attempt, connection, kept === undefined, end)
  }

  /** A new connection. Connecting has its own time, and ends with the request. */
  async #connect(attempt: Attempt, target: ConnectTarget, origin: string): Promise<Connection> {
    const aborter = new AbortController()
    const { timeoutMs } = this.config
    attempt.cut = failure => aborter.abort(failure)
    const timer = this.timers.start(timeoutMs, () => aborter.abort(new FetchFailure('timeout', `timeout: no connection within ${timeoutMs} ms`)))
    try {
      if (attempt.cutBy !== undefined) throw attempt.cutBy
      const connected = await this.connect(target, aborter.signal)
      const connection = new Connection(origin, connected, {
        keepAliveMs: this.config.idleConnectionMs,
        headerLimitBytes: this.config.headerLimitBytes,
        offersHttp2: this.config.usesHttp2,
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

  async #run(attempt: Attempt, connection: Connection): Promise<RunEnd> {
    const { url, headers, contentLimitBytes = this.config.contentLimitBytes } = attempt.request
    const run = new ExchangeRun(
      {
        timeoutMs: this.config.timeoutMs,
        bodyLimitBytes: contentLimitBytes < 0 ? Number.MAX_SAFE_INTEGER : contentLimitBytes,
        headerLimitBytes: this.config.headerLimitBytes,
        minRateBytesPerS: this.config.minRateBytesPerS,
      },
      this.timers,
      () => connection.release(),
    )
    attempt.cut = failure => run.cut(failure)
    if (attempt.cutBy !== undefined) run.cut(attempt.cutBy)
    const { isProxied } = connection.connected
    const path = isProxied ? url.origin + url.pathname + url.search : url.pathname + url.search
    const sent = isProxied && this.proxyAuthorization !== undefined ? [...headers, 'Proxy-Authorization', this.proxyAuthorization] : headers
    connection.send(path, sent, run)
    const end = await run.ended
    attempt.cut = undefined
    if (end.isReusable) this.#pool.keep(connection)
    else connection.close()
    return end
  }

  async #resultOf(attempt: Attempt, connection: Connection, isNew: boolean, end: RunEnd): Promise<HttpResult> {
    const { address, dnsMs, connectMs } = connection.connected
    const timing: FetchTiming = {
      ...this.#timing(attempt),
      ...(isNew ? { dnsMs: Math.round(dnsMs), connectMs: Math.round(connectMs) } : {}),
      ...(end.firstByteTick === undefined ? {} : { firstByteMs: Math.round(end.firstByteTick - attempt.startTick) }),
    }
    if (end.head === undefined) return { isAnswer: false, failure: end.failure ?? new FetchFailure('protocol', 'no answer'), timing, address }
    const { head, body } = end
    const decoded = await this.#decode(attempt.request, head.headers, body)
    const truncated = end.truncated ?? decoded.truncated
    const exchange: HttpExchange = {
      kind: attempt.request.kind,
      url: attempt.request.url.href,
      startMs: timing.startMs,
      endMs: timing.endMs,
      address,
      protocol: head.protocol,
      requestHead: connection.requestHead ?? new Uint8Array(),
      responseHead: head.bytes,
      body,
      payload: decoded.payload,
      ...(end.truncated === undefined ? {} : { truncated: end.truncated }),
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

  #decode({ url, contentLimitBytes = this.config.contentLimitBytes }: HttpRequest, headers: HeaderList, body: Buffer) {
    const encoding = headerValues(headers, 'content-encoding').join(',')
    if (encoding === '') return { payload: body, truncated: undefined }
    const limitBytes = contentLimitBytes < 0 ? Number.MAX_SAFE_INTEGER : contentLimitBytes
    const isGzipFile = /gzip|\bzip|octet-stream/i.test(headerValue(headers, 'content-type') ?? '') || /\.t?gz$/i.test(url.pathname)
    return decodeContent(body, encoding, { limits: { limitBytes, maxRatio: this.config.maxUnpackRatio }, isGzipFile })
  }

  #timing({ startMs }: Attempt): FetchTiming {
    return { startMs, endMs: Math.max(startMs, this.clock.nowMs()) }
  }

  /** One listener for all requests of a signal, however many there are. */
  #watch(signal: AbortSignal, attempt: Attempt): Set<Attempt> {
    let attempts = this.#bySignal.get(signal)
    if (attempts === undefined) {
      const watched = new Set<Attempt>()
      attempts = watched
      this.#bySignal.set(signal, watched)
      signal.addEventListener('abort', () => {
        for (const one of watched) cutNow(one, stopped)
      })
    }
    attempts.add(attempt)
    if (signal.aborted) cutNow(attempt, stopped)
    return attempts
  }
}

const stopped = new FetchFailure('aborted', 'stopped')

function cutNow(attempt: Attempt, failure: FetchFailure): void {
  attempt.cutBy = failure
  attempt.cut?.(failure)
}

function targetOf({ protocol, hostname, port }: URL): ConnectTarget {
  const isTls = protocol === 'https:'
  return { isTls, hostname, port: port === '' ? (isTls ? 443 : 80) : Number(port) }
}
