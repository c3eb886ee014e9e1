import type { HttpExchange } from '../record/exchange.js'
import type { FetchTiming, TruncationReason } from '../record/records.js'
import type { FetchFailure } from './failure.js'
import type { HeaderList } from './header-list.js'

export interface HttpRequest {
  readonly url: URL
  readonly kind: HttpExchange['kind']
  /** Names and values in turn; Host and Connection are added. */
  readonly headers: string[]
  /** Longest content. @defaultValue `http.content.limit` */
  readonly contentLimitBytes?: number
  /** Sent again after a connection turned out to be closed: takes a new one. */
  readonly isRepeat?: boolean
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
  /** Whether it was sent on a kept connection that the server closed without a word: no fault of the page's. */
  readonly isStale?: boolean
}

export type HttpResult = HttpAnswer | HttpFailure
