import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { decodeDatum, rawDatum } from '../lib/crawldb/datum-codec.js'
import { type CrawlDbStats, StatsAccumulator } from '../lib/crawldb/stats/stats-accumulator.js'
import { urlOfKey } from '../lib/record/url-key.js'
import { hostOf } from '../lib/url/hosts.js'
import type { CompiledChoice } from './record-test.js'

export interface StatsOptions {
  readonly choice: CompiledChoice
  /** Of the score, each within 0…1. */
  readonly quantiles: readonly number[]
  /** Counts by host as well (Nutch: -sort). */
  readonly countsHosts?: boolean
  readonly signal?: AbortSignal | undefined
}

/** Adds up the records that are chosen: one scan, which decodes them only if the choice looks at more than their keys. */
export async function crawlDbStats(crawlDb: CrawlDb, options: StatsOptions): Promise<CrawlDbStats> {
  const { choice, countsHosts = false, signal } = options
  const stats = new StatsAccumulator()
  for await (const batch of crawlDb.scan(choice.range)) {
    signal?.throwIfAborted()
    for (const [key, bytes] of batch) {
      if (choice.tests && !choice.matches(decodeDatum(key, bytes))) continue
      stats.add(
        rawDatum.statusCode(bytes),
        rawDatum.fetchTimeMs(bytes),
        rawDatum.retries(bytes),
        rawDatum.fetchIntervalS(bytes),
        rawDatum.score(bytes),
        countsHosts ? hostOf(urlOfKey(key)) : undefined,
      )
    }
  }
  return stats.result(options.quantiles)
}
