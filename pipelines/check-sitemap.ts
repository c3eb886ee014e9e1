import type { Config } from '../lib/config/options.js'
import type { Counters } from '../lib/log/counters.js'
import type { Logger } from '../lib/log/logger.js'
import { parseSitemap, type SitemapEntry } from '../lib/parse/sitemap/parse-sitemap.js'
import { formatLine } from '../lib/record/line-format.js'

export interface CheckSitemapJob {
  readonly url: string
  readonly contentType?: string
  readonly config: Config
  readonly counters: Counters
  readonly log: Logger
}

/** Reads a sitemap and gives a line for each entry; counts and logs what was left out. */
export async function* sitemapLines(source: AsyncIterable<Uint8Array>, job: CheckSitemapJob): AsyncGenerator<string> {
  for await (const entry of readSitemap(source, job)) {
    job.counters.add(`sitemap/${entry.type}`)
    yield formatLine(entry.url, entryToJson(entry))
  }
}

/** The entries of a sitemap by the configuration, faults counted under `sitemap/…` and logged. */
export function readSitemap(
  source: AsyncIterable<Uint8Array>,
  { url, contentType, config, counters, log }: CheckSitemapJob,
): AsyncGenerator<SitemapEntry> {
  const options = {
    url,
    isStrict: config.sitemap.isStrict,
    maxBytes: config.sitemap.maxBytes,
    maxDepth: config.parse.maxDepth,
    maxAttributeChars: config.parse.maxAttributeChars,
    onFault: (fault: string, fact: string): void => {
      counters.add(`sitemap/${fault}`)
      const isSerious = fault === 'not_a_sitemap' || fault === 'cut_off' || fault.startsWith('over_')
      log[isSerious ? 'warn' : 'debug']({ url, fault, fact }, 'sitemap')
    },
  }
  return parseSitemap(source, options, contentType)
}

function entryToJson({ type, lastmodMs, changefreq, priority, extensions }: SitemapEntry): Record<string, unknown> {
  return { type, lastmodMs: lastmodMs ?? null, changefreq: changefreq ?? null, priority, extensions: extensions ?? {} }
}
