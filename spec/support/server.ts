import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../../pipelines/loopback-listener.js'

/** One answer: a fixed one, or a function that writes it. */
export type Route = FixedAnswer | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>)

export interface FixedAnswer {
  /** @defaultValue 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
}

export interface ServerOptions {
  /** @defaultValue ['127.0.0.1'] */
  readonly hosts?: readonly string[]
  /** By `host/path?query` or `/path?query`; a trailing `*` is a prefix. The first that matches answers, else 404. */
  readonly routes: Readonly<Record<string, Route>>
}

/** One request as the server saw it. */
export interface ServedRequest {
  readonly host: string
  readonly target: string
  readonly method: string
  readonly headers: IncomingMessage['headers']
  /** `performance.now()` when the head was read. */
  readonly startMs: number
  /** `performance.now()` when the answer was written or the connection was lost; absent while it lasts. */
  endMs?: number
}

export interface SpecServer {
  readonly port: number
  /** Origin of a host, `http://127.0.0.1:PORT` without an argument. */
  origin(host?: string): string
  readonly requests: readonly ServedRequest[]
  openSockets(): number
  close(): Promise<void>
}

/** A real HTTP server on loopback that answers from a table and keeps a log. */
export async function startServer({ hosts = ['127.0.0.1'], routes }: ServerOptions): Promise<SpecServer> {
  const requests: ServedRequest[] = []
  const hostOf = new WeakMap<object, string>()
  const http = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const host = hostOf.get(request.socket) ?? ''
    const served: ServedRequest = {
      host,
      target: request.url ?? '',
      method: request.method ?? '',
      headers: request.headers,
      startMs: performance.now(),
    }
    requests.push(served)
    response.once('close', () => {
      served.endMs = performance.now()
    })
    answer(findRoute(routes, host, served.target), request, response)
  })
  const listener = await listenOnLoopback({
    hosts,
    onConnection(socket, host) {
      hostOf.set(socket, host)
      http.emit('connection', socket)
    },
  })
  return {
    port: listener.port,
    origin: (host = hosts[0] ?? '127.0.0.1') => `http://${host}:${listener.port}`,
    requests,
    openSockets: listener.openSockets,
    close: listener.close,
  }
}

function findRoute(routes: ServerOptions['routes'], host: string, target: string): Route | undefined {
  for (const [pattern, route] of Object.entries(routes)) {
    const wanted = pattern.startsWith('/') ? target : host + target
    if (pattern.endsWith('*') ? wanted.startsWith(pattern.slice(0, -1)) : wanted === pattern) return route
  }
  return undefined
}

function answer(route: Route | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (typeof route === 'function') {
    Promise.resolve(route(request, response)).catch(error => response.destroy(error instanceof Error ? error : new Error(String(error))))
    return
  }
  const { status = 200, headers = {}, body = '' } = route ?? { status: 404, body: 'not found' }
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(body), ...mutable(headers) })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Node's types want arrays that could be written to. */
function mutable(headers: NonNullable<FixedAnswer['headers']>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]))
}
