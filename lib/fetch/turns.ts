import type { DelaySource, SideRequest } from '../record/records.js'

/** What a request did to its queue: told when it is over. */
export interface RequestReport {
  /** When it ended, epoch ms: the delay counts from here. */
  readonly endMs: number
  readonly tookMs: number
  /** Whether it failed in a way that slows the queue down. */
  readonly isException: boolean
  /** Whether the host said that it is asked too often or is overloaded (429, 503). */
  readonly isThrottled?: boolean
  /** What Retry-After asked for. */
  readonly retryAfterMs?: number
  /** Crawl-delay of the robots.txt that the request was made under, within its bounds. */
  readonly crawlDelayMs?: number
  /** A delay that generate set for the host. */
  readonly hostDelayMs?: number
}

/** The right to send one request to a queue. Ends in one of the two ways; a second end is none. A fetch holds one at a time: taking the next ends the last. */
export interface Turn {
  readonly queueId: string
  /** Delay that was due before it. */
  readonly dueDelayMs: number
  readonly delaySource: DelaySource
  /** Requests that the queue may have under way, this one included. */
  readonly queueLimit: number
  /** The request is over. */
  end(report: RequestReport): void
  /** No request was sent. */
  cancel(): void
}

/** What is recorded of the turn of a request; a limit of one is not written. */
export function turnFacts({ dueDelayMs, delaySource, queueLimit }: Turn): Pick<SideRequest, 'queueDelayMs' | 'delaySource' | 'queueLimit'> {
  return { queueDelayMs: dueDelayMs, delaySource, ...(queueLimit === 1 ? {} : { queueLimit }) }
}

/** Gives turns at queues, each when the queue's delay is over. */
export interface Turns {
  /** Waits for a turn; undefined if there will be none in this run: stopped, or the queue may not be asked for long. */
  take(queueId: string): Promise<Turn | undefined>
}

/** Turns without any delay: for a fetch of a few pages that a person waits for. */
export const unlimitedTurns: Turns = {
  take: queueId => Promise.resolve({ queueId, dueDelayMs: 0, delaySource: 'option', queueLimit: 1, end: () => undefined, cancel: () => undefined }),
}
