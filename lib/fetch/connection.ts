import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Connected } from './connect.js'
import type { ExchangeRun } from './exchange-run.js'
import { FetchFailure } from './failure.js'

export interface ConnectionOptions {
  readonly keepAliveMs: number
  readonly headerLimitBytes: number
  readonly offersHttp2: boolean
}

/** One connection to an origin, with the undici client that speaks on it; carries one request at a time. */
export class Connection {
  /** Head of the last request as it was written. */
  requestHead: Uint8Array | undefined
  readonly #client: Client
  readonly #socket: Socket
  #run: ExchangeRun | undefined

  constructor(
    readonly origin: string,
    readonly connected: Connected,
    { keepAliveMs, headerLimitBytes, offersHttp2 }: ConnectionOptions,
  ) {
    const { socket } = connected
    this.#socket = socket
    let isTaken = false
    this.#client = new Client(origin, {
      // The socket is there already; when it is gone so is this client.
      connect: (_options, done) => {
        const isGone = isTaken || socket.destroyed
        isTaken = true
        // Not at once: undici starts its queue only for a connector that answers later.
        queueMicrotask(() => (isGone ? done(new FetchFailure('disconnect', 'connection closed'), null) : done(null, socket)))
      },
      pipelining: 1,
      keepAliveTimeout: Math.max(1, keepAliveMs),
      keepAliveMaxTimeout: Math.max(1, keepAliveMs),
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: headerLimitBytes,
      allowH2: offersHttp2,
    })
    if (!connected.isHttp2) this.#tapWire()
  }

  get isClosed(): boolean {
    return this.#socket.destroyed || this.#client.destroyed
  }

  /** Calls back once, when the connection is gone. */
  onClose(listener: () => void): void {
    this.#socket.once('close', listener)
  }

  /** Sends a GET. `headers`: names and values in turn. What comes goes to `run`. */
  send(path: string, headers: string[], run: ExchangeRun): void {
    this.#run = run
    this.requestHead = undefined
    this.#client.dispatch({ path, method: 'GET', headers }, run)
    if (!this.connected.isHttp2) return
    const lines = [`GET ${path} HTTP/2`, ...headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []))]
    this.requestHead = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  }

  /** The request is over; what comes now on the connection is undici's to refuse. */
  release(): void {
    this.#run = undefined
  }

  close(): void {
    this.#client.destroy().catch(() => undefined) // nothing is in flight that could want to know
    this.#socket.destroy()
  }

  /** Lets the run see what is read before undici does, and keeps what is written: the exact bytes are what a WARC holds. */
  #tapWire(): void {
    const socket = this.#socket
    const push = socket.push.bind(socket)
    socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (this.#run === undefined) return push(chunk, encoding)
      const passed = this.#run.takeWire(chunk as Buffer | null) // sockets without an encoding read Buffers
      return passed === undefined ? true : push(passed)
    }
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean // one of its overloads, handed on as it came
    socket.write = (...args: unknown[]): boolean => {
      const [chunk, encoding] = args
      if (typeof chunk === 'string') this.requestHead ??= Buffer.from(chunk, encoding === 'latin1' ? 'latin1' : 'utf8')
      return write(...args)
    }
  }
}
