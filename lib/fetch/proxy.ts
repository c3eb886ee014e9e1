import type { Socket } from 'node:net'
import type { HttpConfig } from '../config/http-options.js'
import type { ConnectTarget } from './connect-target.js'
import { FetchFailure } from './failure.js'
import { findHeadEnd, parseHead } from './response-head.js'

/** A forward proxy. */
export interface ForwardProxy {
  readonly hostname: string
  readonly port: number
  /** Value of Proxy-Authorization, if it wants one. */
  readonly authorization?: string
  isFor(hostname: string): boolean
}

/** The proxy of `http.proxy.*`, or undefined if none is set. */
export function proxyOf(config: HttpConfig): ForwardProxy | undefined {
  if (config.proxyHost === '') return undefined
  const exceptions = new Set(config.proxyExceptions.map(host => host.toLowerCase()))
  const credentials = `${config.proxyUsername}:${config.proxyPassword}`
  return {
    hostname: config.proxyHost,
    port: config.proxyPort,
    ...(config.proxyUsername === '' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    isFor: hostname => !exceptions.has(hostname),
  }
}

const maxReplyBytes = 65_536

/** Asks a proxy for a tunnel to `target` on a connection to it (RFC 9110 §9.3.6). @throws {FetchFailure} proxy */
export function openTunnel(socket: Socket, proxy: ForwardProxy, target: ConnectTarget, signal: AbortSignal): Promise<void> {
  const authority = `${target.hostname}:${target.port}`
  const authorization = proxy.authorization === undefined ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`)
  return new Promise((resolve, reject) => {
    let reply: Buffer = Buffer.alloc(0)
    const end = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort)
      socket.off('data', onData)
      socket.off('close', onClose)
      socket.off('error', end)
      socket.pause()
      if (error === undefined) resolve()
      else reject(error)
    }
    const onAbort = (): void => end(signal.reason)
    const onClose = (): void => end(new FetchFailure('proxy', 'the proxy closed the connection'))
    const onData = (chunk: Buffer): void => {
      reply = Buffer.concat([reply, chunk])
      const headEnd = findHeadEnd(reply)
      if (headEnd < 0 && reply.length < maxReplyBytes) return
      const status = headEnd < 0 ? undefined : parseHead(reply.subarray(0, headEnd))?.status
      if (status === undefined) end(new FetchFailure('proxy', 'the proxy gave no HTTP answer'))
      else end(status >= 200 && status < 300 ? undefined : new FetchFailure('proxy', `the proxy answered ${status}`))
    }
    signal.addEventListener('abort', onAbort)
    socket.on('close', onClose)
    socket.on('error', end)
    socket.on('data', onData)
  })
}
