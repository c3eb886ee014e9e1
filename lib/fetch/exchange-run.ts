import type { Dispatcher } from 'undici'
import type { TruncationReason } from '../record/records.js'
import { type BodyFraming, ChunkedBody, FramingError, framingOf } from './body-framing.js'
import { type FailureClass, FetchFailure, toFailure } from './failure.js'
import { headerListOf } from './header-list.js'
import { findHeadEnd, isRedirect, looksLikeStatusLine, parseHead, type ResponseHead, withoutLeadingLines } from './response-head.js'
import type { Timer, Timers } from './timers.js'

/** How the bytes of one answer ended. */
export interface RunEnd {
  /** Absent if there was no complete head. */
  readonly head?: ResponseHead
  readonly body: Buffer
  readonly truncated?: TruncationReason
  /** Why there is no head, or why the body is not whole. */
  readonly failure?: FetchFailure
  /** Whether the connection may carry another request. */
  readonly isReusable: boolean
  /** Whether any byte came. */
  readonly isAnswered: boolean
  /** `performance.now()` at the first byte. */
  readonly firstByteTick?: number
}

export interface RunLimits {
  readonly timeoutMs: number
  readonly bodyLimitBytes: number
  readonly headerLimitBytes: number
  readonly minRateBytesPerS: number
  /** The connection has carried an answer before: what does not begin like one is left over from it. */
  readonly isReused: boolean
}

const maxInformational = 20
/** How long the body of a redirect is waited for: nobody reads it, but a whole one keeps the connection. */
const redirectBodyMs = 1000

/**
 * One request on one connection. Sees the bytes of the wire before undici does (`takeWire`): it reads the head itself, keeps it as it came, and
 * lets undici frame the body; what a strict parser would refuse never reaches undici and is framed here, leniently. Chunks are always framed here:
 * undici sees them up to the first that it would refuse, and so knows when the connection is free.
 */
export class ExchangeRun implements Dispatcher.DispatchHandler {
  readonly ended: Promise<RunEnd>
  #firstByteTick: number | undefined
  #settle!: (end: RunEnd) => void
  #phase: 'head' | 'strict' | 'lenient' | 'ended' = 'head'
  #pending: Buffer | undefined
  #informational = 0
  #wireBytes = 0
  #head: ResponseHead | undefined
  #framing: BodyFraming | undefined
  #pieces: Buffer[] = []
  #bodyBytes = 0
  #bodyStartMs = 0
  #controller: Dispatcher.DispatchController | undefined
  readonly #timer: Timer

  constructor(
    readonly limits: RunLimits,
    readonly timers: Timers,
    readonly onEnd: () => void,
  ) {
    this.ended = new Promise(resolve => {
      this.#settle = resolve
    })
    this.#timer = timers.start(limits.timeoutMs, () => this.#onTimeout())
  }

  /** Ends the run from outside: stopped, or over the time for the request as a whole. */
  cut(failure: FetchFailure): void {
    this.#end({ truncated: failure.failureClass === 'timeout' ? 'time' : 'disconnect', failure })
  }

  /** Bytes off the wire, or null at its end. Gives what undici is to see: undefined for nothing yet. */
  takeWire(chunk: Buffer | null): Buffer | null | undefined {
    if (this.#phase === 'ended' || (this.#phase === 'strict' && this.#framing === undefined)) return chunk
    this.#firstByteTick ??= performance.now()
    if (chunk === null) return this.#takeWireEnd()
    this.#wireBytes += chunk.length
    return this.#phase === 'head' ? this.#takeHead(chunk) : this.#takeFramed(chunk)
  }

  #takeHead(chunk: Buffer): Buffer | undefined {
    let bytes = withoutLeadingLines(this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]))
    const seen = this.#pending?.length ?? 0
    this.#pending = undefined
    if (this.#wireBytes > this.limits.headerLimitBytes && findHeadEnd(bytes) < 0)
      return this.#refuse(`headers longer than ${this.limits.headerLimitBytes} bytes`)
    if (bytes.length === 0) return undefined
    for (let from = Math.max(0, seen - 4); ; from = 0) {
      if (!looksLikeStatusLine(bytes)) return this.#informational > 0 ? this.#refuse('no status line') : this.#takeHeadless(bytes)
      const end = findHeadEnd(bytes, from)
      if (end < 0) {
        this.#pending = bytes
        return undefined
      }
      const head = parseHead(bytes.subarray(0, end))
      if (head === undefined || head.status < 100) return this.#refuse('no status line')
      if (head.status === 101) return this.#refuse('the server switched protocols unasked')
      if (head.status >= 200) return this.#startBody(head, bytes, end)
      this.#informational += 1
      if (this.#informational > maxInformational) return this.#refuse('too many informational answers')
      bytes = withoutLeadingLines(bytes.subarray(end))
      if (bytes.length === 0) return undefined
    }
  }

  #startBody(head: ResponseHead, bytes: Buffer, end: number): Buffer | undefined {
    this.#head = head
    this.#bodyStartMs = performance.now()
    this.#timer.refresh()
    if (isRedirect(head)) this.#shortenWait()
    const framing = framingOf(head, part => this.#addBody(part))
    if (head.isStrict && this.#informational === 0) {
      this.#phase = 'strict'
      if (!(framing instanceof ChunkedBody)) return bytes
      this.#framing = framing
      return this.#takeFramed(bytes.subarray(end)) === undefined ? undefined : bytes
    }
    this.#phase = 'lenient'
    this.#framing = framing
    if (framing.take(Buffer.alloc(0))) this.#end({})
    else if (end < bytes.length) this.#takeFramed(bytes.subarray(end))
    return undefined
  }

  /** HTTP/0.9, or a server that forgot its headers: all is body, if it is text. */
  #takeHeadless(bytes: Buffer): undefined {
    if (this.limits.isReused) {
      this.#wireBytes = 0 // as if nothing had come: the request is sent again
      return this.#refuse('the answer before was longer than it said', 'disconnect')
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    if (/[\0-\x08\x0e-\x1f]/.test(bytes.toString('latin1', 0, 64))) return this.#refuse('the answer is not HTTP')
    const head: ResponseHead = { status: 200, protocol: 'http/0.9', headers: [], bytes: new Uint8Array(), isStrict: false }
    this.#startBody(head, bytes, 0)
    return undefined
  }

  /** Gives the bytes on to undici as long as it would read them in the same way. */
  #takeFramed(chunk: Buffer): Buffer | undefined {
    try {
      const isWhole = this.#framing?.take(chunk) === true
      if (this.#phase === 'strict' && this.#framing?.isStrict === true) return chunk
      if (this.#phase === 'strict') this.#phase = 'lenient'
      if (isWhole) this.#end({})
    } catch (error) {
      if (!(error instanceof FramingError)) throw error
      this.#end({ truncated: 'disconnect', failure: new FetchFailure('protocol', error.message, { cause: error }) })
    }
    return undefined
  }

  #takeWireEnd(): null | undefined {
    if (this.#phase === 'head') {
      if (this.#wireBytes === 0) return null
      this.#end({ failure: new FetchFailure('disconnect', 'connection closed within the headers') })
    } else if (this.#framing?.endsWithConnection === true) this.#end({})
    else this.#end({ truncated: 'disconnect', failure: new FetchFailure('disconnect', 'connection closed within the body') })
    return undefined
  }

  #addBody(piece: Buffer): void {
    if (this.#phase === 'ended') return
    const room = this.limits.bodyLimitBytes - this.#bodyBytes
    this.#pieces.push(piece.length > room ? piece.subarray(0, room) : piece)
    this.#bodyBytes += Math.min(piece.length, room)
    if (piece.length > room) {
      this.#end({ truncated: 'length' })
      return
    }
    if (this.#head !== undefined && !isRedirect(this.#head)) this.#timer.refresh()
    const { minRateBytesPerS, timeoutMs } = this.limits
    if (minRateBytesPerS === 0) return
    const tookMs = performance.now() - this.#bodyStartMs
    if (tookMs > timeoutMs && (this.#bodyBytes * 1000) / tookMs < minRateBytesPerS)
      this.#end({ truncated: 'time', failure: new FetchFailure('timeout', `slower than ${minRateBytesPerS} bytes a second`) })
  }

  #onTimeout(): void {
    const { timeoutMs } = this.limits
    const what = this.#head === undefined ? `no headers within ${timeoutMs} ms` : `no data for ${timeoutMs} ms`
    this.cut(new FetchFailure('timeout', `timeout: ${what}`))
  }

  #shortenWait(): void {
    this.#timer.cancel()
    const timer = this.timers.start(Math.min(redirectBodyMs, this.limits.timeoutMs), () => this.#onTimeout())
    void this.ended.then(() => timer.cancel())
  }

  #refuse(reason: string, failureClass: FailureClass = 'protocol'): undefined {
    this.#end({ failure: new FetchFailure(failureClass, reason) })
    return undefined
  }

  #end({ truncated, failure }: { truncated?: TruncationReason; failure?: FetchFailure }, isReusable = false): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#timer.cancel()
    const body = Buffer.concat(this.#pieces, this.#bodyBytes) // also of one piece, a part of what the socket read: a body in memory of its own goes to another thread as it is
    this.#pieces = []
    // Text without a head is taken for HTTP/0.9 only if the connection ended well behind it: a banner of another protocol waits for an answer.
    if (this.#head?.protocol === 'http/0.9' && truncated !== undefined && truncated !== 'length') this.#head = undefined
    if (!isReusable) this.#controller?.abort(failure ?? new FetchFailure('aborted', 'no more is read'))
    this.onEnd()
    this.#settle({
      ...(this.#head === undefined ? {} : { head: this.#head }),
      body,
      ...(truncated === undefined || this.#head === undefined ? {} : { truncated }),
      ...(failure === undefined ? {} : { failure }),
      isReusable,
      isAnswered: this.#wireBytes > 0 || this.#head !== undefined,
      ...(this.#firstByteTick === undefined ? {} : { firstByteTick: this.#firstByteTick }),
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#phase === 'ended') controller.abort(new FetchFailure('aborted', 'no more is read'))
  }

  /** Only HTTP/2 gets here without a head: its frames are not for our eyes. */
  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.#head !== undefined || status < 200) return
    const headers = headerListOf(controller.rawHeaders)
    const lines = [`HTTP/2 ${status}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
    this.#head = { status, protocol: 'h2', headers, bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), isStrict: true }
    this.#phase = 'strict'
    this.#firstByteTick ??= performance.now()
    this.#bodyStartMs = performance.now()
    this.#timer.refresh()
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#framing === undefined) this.#addBody(chunk)
  }

  onResponseEnd(): void {
    this.#end({}, true)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end({ truncated: 'disconnect', failure: toFailure(error) })
  }
}
