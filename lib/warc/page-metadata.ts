import type { HttpExchange } from '../record/exchange.js'
import type { Metadata } from '../record/metadata.js'

/** What the metadata record of an answer says, in the words of other crawlers: how long it took, and what its text was read as if it was parsed. */
export function pageMetadata(exchanges: readonly HttpExchange[], charset: string | undefined): Metadata {
  const own = exchanges.at(-1)
  return {
    ...(own === undefined ? {} : { fetchTimeMs: String(Math.max(0, own.endMs - own.startMs)) }),
    ...(charset === undefined ? {} : { 'charset-detected': charset }),
  }
}
