import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { CrawlError } from '../errors/crawl-error.js'
import { withoutRootDot } from '../url/hosts.js'
import type { AddressGuard } from './address-guard.js'
import type { ConnectTarget } from './connect-target.js'
import { FetchFailure, toFailure } from './failure.js'
import type { Resolve } from './name-servers.js'
import { type ForwardProxy, openTunnel } from './proxy.js'

export interface Connected {
  readonly socket: Socket
  /** IP address at the other end. */
  readonly address: string
  readonly isHttp2: boolean
  /** Whether requests are given to a forward proxy, with whole URLs. */
  readonly isProxied: boolean
  readonly dnsMs: number
  readonly connectMs: number
}

/** Opens a connection, TLS included. @throws {FetchFailure} */
export type Connect = (target: ConnectTarget, signal: AbortSignal) => Promise<Connected>

export interface ConnectOptions {
  readonly guard: AddressGuard
  readonly resolve: Resolve
  readonly checksCertificates: boolean
  readonly offersHttp2: boolean
  readonly proxy?: ForwardProxy
}

/** Connects to addresses that the guard lets pass: each is asked about before the first packet, and the one connected to again after. */
export function createConnect(options: ConnectOptions): Connect {
  return async (target, signal) => {
    const startMs = performance.now()
    const proxy = options.proxy?.isFor(target.hostname) ? options.proxy : undefined
    if (proxy !== undefined) refuseWithoutLookup(target.hostname, options.guard)
    const goal = proxy ?? target
    const addresses = await lookedUp(
      goal.hostname,
      addressesOf(goal.hostname, proxy === undefined ? options : { ...options, guard: anyAddress }),
      signal,
    )
    const dnsMs = performance.now() - startMs
    let socket = await openSocket(goal, addresses, signal)
    const address = socket.remoteAddress ?? ''
    try {
      if (proxy === undefined) refuse(goal.hostname, address, options.guard)
      if (proxy !== undefined && target.isTls) await openTunnel(socket, proxy, target, signal)
      if (target.isTls) socket = await secure(socket, target, options, signal)
    } catch (error) {
      socket.destroy()
      throw error
    }
    const isHttp2 = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2'
    return { socket, address, isHttp2, isProxied: proxy !== undefined && !target.isTls, dnsMs, connectMs: performance.now() - startMs - dnsMs }
  }
}

const anyAddress: AddressGuard = { refusal: () => undefined }

/** @throws {CrawlError} ADDRESS_DENIED if the guard lets none of the host's addresses pass */
async function addressesOf(hostname: string, { guard, resolve }: ConnectOptions): Promise<readonly LookupAddress[]> {
  const literal = bareHost(hostname)
  const family = isIP(literal)
  const addresses = family === 0 ? await resolve(literal) : [{ address: literal, family }]
  const allowed = addresses.filter(({ address }) => guard.refusal(address) === undefined)
  const [first] = addresses
  if (first === undefined) throw new FetchFailure('dns', `host not found (${hostname} has no address)`)
  if (allowed.length === 0) refuse(hostname, first.address, guard)
  return allowed
}

/** @throws {CrawlError} ADDRESS_DENIED */
function refuse(hostname: string, address: string, guard: AddressGuard): void {
  const reason = guard.refusal(address)
  if (reason === undefined) return
  const where = bareHost(hostname) === address ? address : `${hostname} is ${address}:`
  throw new CrawlError('ADDRESS_DENIED', `address refused: ${where} ${reason} (see --allow-address)`)
}

/** What can be told of a host that a proxy looks up: addresses, and names that are loopback everywhere (RFC 6761 §6.3). @throws {CrawlError} ADDRESS_DENIED */
function refuseWithoutLookup(hostname: string, guard: AddressGuard): void {
  const literal = bareHost(hostname)
  if (isIP(literal) !== 0) refuse(hostname, literal, guard)
  else if (/(?:^|\.)localhost\.?$/.test(literal)) refuse(hostname, '127.0.0.1', guard)
}

function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** What the lookup gives, or a rejection as soon as the signal aborts: a lookup cannot be called off. */
function lookedUp<T>(hostname: string, lookup: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(unansweredLookup(hostname, signal.reason))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    lookup.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** The time was over before the host itself was asked anything: its name servers are silent. */
function unansweredLookup(hostname: string, reason: unknown): unknown {
  if (!(reason instanceof FetchFailure) || reason.failureClass !== 'timeout') return reason
  return new FetchFailure('dns', `name server did not answer (for ${hostname}; ${reason.message})`)
}

/** TCP to the first address that answers; with several, each next one starts before the last has failed (RFC 8305). */
function openSocket(goal: ConnectTarget | ForwardProxy, addresses: readonly LookupAddress[], signal: AbortSignal): Promise<Socket> {
  const [first] = addresses
  const lookup: LookupFunction = (_hostname, options, done) => {
    if (options.all === true) done(null, [...addresses])
    else done(null, first?.address ?? '', first?.family)
  }
  const socket = netConnect({ host: bareHost(goal.hostname), port: goal.port, lookup, autoSelectFamily: addresses.length > 1, noDelay: true })
  return settled(socket, 'connect', signal)
}

async function secure(raw: Socket, target: ConnectTarget, options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
  const host = bareHost(target.hostname)
  const socket = tlsConnect({
    socket: raw,
    host,
    ...(isIP(host) === 0 ? { servername: withoutRootDot(host) } : {}), // RFC 6066 §3: without the dot
    rejectUnauthorized: options.checksCertificates,
    ALPNProtocols: options.offersHttp2 ? ['h2', 'http/1.1'] : ['http/1.1'],
  })
  try {
    return await settled(socket, 'secureConnect', signal)
  } catch (error) {
    const failure = toFailure(error)
    if (signal.aborted || failure.failureClass === 'tls') throw failure
    throw new FetchFailure('tls', `TLS: handshake failed: ${failure.message}`, { cause: error })
  }
}

/** The socket once it is connected; destroyed if that fails or the signal aborts. */
function settled<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const end = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort)
      socket.off(event, onConnect)
      socket.off('close', onClose)
      socket.off('error', end)
      if (error === undefined) {
        resolve(socket)
        return
      }
      socket.destroy()
      reject(error)
    }
    const onAbort = (): void => end(signal.reason)
    const onConnect = (): void => end(undefined)
    const onClose = (): void => end(new FetchFailure('disconnect', 'connection closed while it was opened'))
    socket.on('error', () => undefined) // stays: an error between two owners must not end the process
    if (signal.aborted) {
      end(signal.reason)
      return
    }
    signal.addEventListener('abort', onAbort)
    socket.on(event, onConnect)
    socket.on('close', onClose)
    socket.on('error', end)
  })
}
