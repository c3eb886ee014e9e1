import type { HttpClient } from './http-client.js'
import type { HttpRequest, HttpResult } from './http-result.js'
import type { Turn } from './turns.js'

export interface InTurn {
  readonly turn: Turn
  readonly result: HttpResult
}

/**
 * Sends a request. One that met a kept connection just when the server closed it is sent once more (RFC 9110 §9.2.2), on a new connection and
 * with the queue's next turn: the server may have seen the first. Undefined if there is no second turn.
 */
export async function getInTurn(request: HttpRequest, turn: Turn, { client, endTurn, nextTurn, signal }: InTurnParts): Promise<InTurn | undefined> {
  const result = await client.get(request, signal)
  if (result.isAnswer || result.isStale !== true) return { turn, result }
  endTurn(turn, result)
  const second = await nextTurn()
  return second === undefined ? undefined : { turn: second, result: await client.get({ ...request, isRepeat: true }, signal) }
}

export interface InTurnParts {
  readonly client: HttpClient
  readonly endTurn: (turn: Turn, result: HttpResult) => void
  readonly nextTurn: () => Promise<Turn | undefined>
  readonly signal: AbortSignal | undefined
}
