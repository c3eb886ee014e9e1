import type { FetchOutcome, TruncationReason } from './records.js'

/** One HTTP exchange as it went over the wire: what a WARC keeps of it. */
export interface HttpExchange {
  /** What was asked for: a page of the list, a hop of a redirect, or robots.txt. */
  readonly kind: 'page' | 'redirect' | 'robots'
  readonly url: string
  readonly startMs: number
  readonly endMs: number
  /** IP address that answered. */
  readonly address?: string
  readonly protocol: 'http/0.9' | 'http/1.0' | 'http/1.1' | 'h2'
  /** Request line and headers as sent, ended by an empty line. */
  readonly requestHead: Uint8Array
  /** Status line and headers with their names, case, order and duplicates as received, ended by an empty line. */
  readonly responseHead: Uint8Array
  /** Body as received: Transfer-Encoding removed, Content-Encoding not. */
  readonly body: Uint8Array
  /** Body with Content-Encoding removed; the same object as `body` where there was none. */
  readonly payload: Uint8Array
  readonly truncated?: TruncationReason
}

/** What the fetch stage gives for one URL: its outcome, and the exchanges to be stored before the outcome is committed. */
export interface FetchedPage {
  readonly outcome: FetchOutcome
  /** The page's own exchange last; none if no request was answered. */
  readonly exchanges: readonly HttpExchange[]
}
