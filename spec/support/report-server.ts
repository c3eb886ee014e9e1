import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { listenOnLoopback } from '../../pipelines/loopback-listener.js'
import { fillIn, reportHosts, wireAnswer } from './report-answer.js'
import type { ReportRoute } from './reports.js'

/** One request as the server read it; a TLS hello has no target. */
export interface ReportRequest {
  readonly host: string
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Which request for this target on this host it is, from 1. */
  readonly nth: number
  readonly isTls: boolean
  /** `performance.now()` when it was read. */
  readonly startMs: number
}

export interface ReportServer {
  readonly port: number
  /** Text of a case with {A}, {B}, {C} and {PORT} filled in. */
  fill(text: string): string
  readonly requests: readonly ReportRequest[]
  /** Targets asked of a host, in order. */
  targets(letter: keyof typeof reportHosts): string[]
  openSockets(): number
  /** Most connections open at one time. */
  maxOpenSockets(): number
  close(): Promise<void>
}

/** Plays the `server` script of a report: three hosts on one port, raw bytes, and every way of misbehaving that the scripts name. */
export async function startReportServer(routes: readonly ReportRoute[] = []): Promise<ReportServer> {
  const requests: ReportRequest[] = []
  const counts = new Map<string, number>()
  let maxOpenSockets = 0
  const ended = new AbortController()
  setMaxListeners(0, ended.signal) // one for each answer that waits
  const listener = await listenOnLoopback({
    hosts: Object.values(reportHosts),
    onConnection(socket) {
      maxOpenSockets = Math.max(maxOpenSockets, listener.openSockets())
      serve(socket, { routes, requests, counts, port: listener.port, signal: ended.signal }).catch(() => socket.destroy())
    },
  })
  return {
    port: listener.port,
    fill: text => fillIn(text, listener.port),
    requests,
    targets: letter => requests.filter(({ host }) => host === reportHosts[letter]).map(({ target }) => target),
    openSockets: listener.openSockets,
    maxOpenSockets: () => maxOpenSockets,
    async close() {
      ended.abort()
      await listener.close()
    },
  }
}

interface Play {
  readonly routes: readonly ReportRoute[]
  readonly requests: ReportRequest[]
  readonly counts: Map<string, number>
  readonly port: number
  readonly signal: AbortSignal
}

async function serve(socket: Socket, play: Play): Promise<void> {
  let unread = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    unread = Buffer.concat([unread, chunk])
    if (unread[0] === 0x16) return answerTls(socket, play)
    for (let end = unread.indexOf('\r\n\r\n'); end >= 0; end = unread.indexOf('\r\n\r\n')) {
      const request = readHead(unread.toString('latin1', 0, end), play.counts)
      unread = unread.subarray(end + 4)
      play.requests.push(request)
      const route = play.routes.find(candidate => matches(candidate, request)) ?? { path: '', status: 404 }
      if (!(await send(socket, route, request.method, play))) return hold(socket, play.signal)
    }
  }
  socket.end()
}

async function answerTls(socket: Socket, play: Play): Promise<void> {
  play.requests.push({ host: '', method: '', target: '', headers: {}, nth: 1, isTls: true, startMs: performance.now() })
  const route = play.routes.find(({ path }) => path === '(tls)')
  if (route === undefined) socket.destroy()
  else await send(socket, route, 'GET', play)
}

function readHead(head: string, counts: Map<string, number>): ReportRequest {
  const [first = '', ...lines] = head.split('\r\n')
  const [method = '', target = ''] = first.split(' ')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const),
  )
  const host = (headers.host ?? '').replace(/:\d+$/, '')
  const nth = (counts.get(`${host} ${target}`) ?? 0) + 1
  counts.set(`${host} ${target}`, nth)
  return { host, method, target, headers, nth, isTls: false, startMs: performance.now() }
}

function matches(route: ReportRoute, { host, target, nth, headers }: ReportRequest): boolean {
  if (route.path === '(tls)') return false
  const isPath = route.path.endsWith('*') ? target.startsWith(route.path.slice(0, -1)) : target === route.path
  if (!isPath || (route.host !== undefined && reportHosts[route.host] !== host)) return false
  if (route.nth !== undefined && route.nth !== nth) return false
  return Object.entries(route.ifHeader ?? {}).every(([name, wanted]) => {
    const value = headers[name.toLowerCase()]
    return typeof wanted === 'boolean' ? (value !== undefined) === wanted : value === wanted
  })
}

/** Sends the answer in the route's manner. Gives whether the connection goes on. */
async function send(socket: Socket, route: ReportRoute, method: string, play: Play): Promise<boolean> {
  const behaviour = route.behaviour ?? ''
  if (behaviour === 'hang-before-headers') return false
  const { bytes, bodyStart, keepsAlive } = wireAnswer(route, play.port, method)
  for (const { piece, pauseMs } of pieces(behaviour, bytes, bodyStart)) {
    if (pauseMs > 0) await wait(pauseMs, undefined, { signal: play.signal })
    if (!socket.writable) return false
    await new Promise<void>(resolve => socket.write(piece, () => resolve()))
  }
  if (behaviour.includes('reset')) socket.resetAndDestroy()
  else if (behaviour.includes('hang')) return false
  else if (!keepsAlive) socket.end()
  return keepsAlive && !behaviour.includes('reset')
}

/** Bytes to be written one after the other, each after a pause. */
function* pieces(behaviour: string, bytes: Buffer, bodyStart: number): Generator<{ piece: Buffer; pauseMs: number }> {
  const delayMs = Number(/delay:(\d+)/.exec(behaviour)?.[1] ?? 0)
  const slow = /slow:(\d+)\/(\d+)/.exec(behaviour)
  const stops = slow === null ? splitStops(behaviour, bodyStart, bytes.length) : slowStops(Number(slow[1]), bytes.length)
  const pauseMs = slow === null ? 60 : Number(slow[2])
  let start = 0
  for (const stop of stops) {
    yield { piece: bytes.subarray(start, stop), pauseMs: start === 0 ? delayMs : pauseMs }
    start = stop
  }
}

function splitStops(behaviour: string, bodyStart: number, length: number): number[] {
  const offsets = /split:([\d,]+)/.exec(behaviour)?.[1]?.split(',').map(Number) ?? []
  return [...offsets.map(offset => bodyStart + offset).filter(stop => stop < length), length]
}

function* slowStops(step: number, length: number): Generator<number> {
  for (let stop = step; stop < length; stop += step) yield stop
  yield length
}

/** Keeps a silent connection until the other side or the spec ends it. */
function hold(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    socket.resume()
    socket.once('close', () => resolve())
    socket.once('end', () => socket.end())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
