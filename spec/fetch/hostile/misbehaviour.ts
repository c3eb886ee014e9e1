import type { Socket } from 'node:net'
import type { FetchOutcome } from '../../../lib/record/records.js'

/** One way in which a server does not do what it should, and the outcome that must come of it. */
export interface Misbehaviour {
  readonly name: string
  /** What the server does once the head of a request for the page has been read. */
  readonly play: (socket: Socket, request: PlayedRequest) => void
  readonly outcome: Partial<Pick<FetchOutcome, 'status' | 'protocolStatus' | 'httpStatus' | 'causeClass' | 'truncated' | 'protocol'>>
  /** Text that the cause must hold. */
  readonly cause?: RegExp
  /** Bytes of content that must have come. */
  readonly payload?: string | number
}

export interface PlayedRequest {
  readonly target: string
  /** Which request for this target it is, from 1. */
  readonly nth: number
  readonly origin: string
}

/** Sends bytes as they stand and ends the connection. */
export const sends =
  (...parts: readonly (string | Buffer)[]): Misbehaviour['play'] =>
  socket => {
    for (const part of parts) socket.write(part, 'latin1')
    socket.end()
  }

/** Sends bytes and keeps the connection open. */
export const sendsAndHangs =
  (...parts: readonly (string | Buffer)[]): Misbehaviour['play'] =>
  socket => {
    for (const part of parts) socket.write(part, 'latin1')
  }

/** Sends bytes, then RST. */
export const sendsAndResets =
  (text: string): Misbehaviour['play'] =>
  socket => {
    if (text === '') socket.resetAndDestroy()
    else socket.write(text, 'latin1', () => setTimeout(() => socket.resetAndDestroy(), 20))
  }

/** Sends `first`, then `again` for ever: up to 50 MB a second. */
export const floods =
  (first: string, again: string): Misbehaviour['play'] =>
  socket => {
    const burst = again.repeat(Math.ceil(250_000 / again.length))
    socket.write(first, 'latin1')
    const timer = setInterval(() => {
      if (socket.writable && !socket.writableNeedDrain) socket.write(burst, 'latin1')
    }, 5)
    socket.once('close', () => clearInterval(timer))
  }

/** Sends `first`, then a piece of `again` every `everyMs`. */
export const drips =
  (first: string, again: string, everyMs: number): Misbehaviour['play'] =>
  socket => {
    socket.write(first, 'latin1')
    let at = 0
    const timer = setInterval(() => socket.write(again[at++ % again.length] ?? '', 'latin1'), everyMs)
    socket.once('close', () => clearInterval(timer))
  }

export const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
/** A whole good answer with this body. */
export const page = (body: string): string => `${ok}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
