import { injectedDatum } from '../lib/crawldb/rules/inject-rule.js'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import { datumFromJson } from '../lib/record/datum-json.js'
import type { CrawlDatum } from '../lib/record/records.js'
import { parseSeedLine } from '../lib/record/seed-line.js'
import { storedUrl } from '../lib/record/url.js'
import { bareReturnsAsFeeds } from '../lib/stream/bare-returns.js'
import { splitLines } from '../lib/stream/split-lines.js'
import type { JobContext } from './job.js'

/**
 * Reads seed lines (Nutch's form, or records) as records with status `injected`, URLs as they stand: `normalizeUrls` comes next. A line that cannot be
 * used is logged with its number and counted as `seeds/malformed`; a value that is not taken is logged. For the start of a `pipeline()`, behind a source of bytes.
 */
export function readSeeds({ schedule, config, clock, log, counters }: JobContext) {
  return async function* seeds(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<CrawlDatum> {
    const rules = { schedule, db: config.db, nowMs: clock.nowMs() }
    for await (const line of splitLines()(bareReturnsAsFeeds(chunks))) {
      try {
        if (line.fault !== undefined) throw line.fault
        const seed = parseSeedLine(line.text)
        if (seed.kind === 'blank') continue
        const url = storedUrl(seed.urlText) // not normalized yet: the next stage does that
        if (seed.kind === 'seed') for (const reason of seed.problems) log.warn({ line: line.number, reason }, 'seed line')
        yield seed.kind === 'record' ? datumFromJson(url, seed.json) : injectedDatum(url, seed.seed, rules)
      } catch (error) {
        if (!(error instanceof CrawlError)) throw error
        counters.add('seeds/malformed')
        log.warn({ line: line.number, reason: messageOf(error) }, 'seed line left out')
      }
    }
  }
}
