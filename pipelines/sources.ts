import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import type { PageInput } from '../lib/parse/page.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import { bareReturnsAsFeeds } from '../lib/stream/bare-returns.js'
import { splitLines } from '../lib/stream/split-lines.js'
import { queueIdOf } from '../lib/url/hosts.js'
import { tryNormalizeUrl } from '../lib/url/normalize-url.js'
import { readCaptureGroups } from '../lib/warc/capture-groups.js'
import { contentTypeOf } from '../lib/warc/http-head.js'
import { contentOf } from '../lib/warc/stored-content.js'
import { recordTest } from './expressions.js'
import type { JobContext } from './job.js'
import { itemOfLine } from './stage-lines.js'

/**
 * Reads lines of URLs, seeds, records or a fetch list as items for `fetchPages`. A line that cannot be used is logged with its number and counted as
 * `items/malformed`. For the start of a `pipeline()`.
 */
export function fetchItems(context: JobContext) {
  return async function* items(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<FetchItem> {
    for await (const line of splitLines()(bareReturnsAsFeeds(withLineEnds(chunks)))) {
      try {
        const item = itemOfLine(line, context, tryNormalizeUrl)
        if (item !== undefined) yield item
      } catch (error) {
        if (!(error instanceof CrawlError)) throw error
        context.counters.add('items/malformed')
        context.log.warn({ line: line.number, reason: messageOf(error) }, 'line left out')
      }
    }
  }
}

/** Strings are taken as whole lines, bytes as they come. */
async function* withLineEnds(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  for await (const chunk of chunks) yield typeof chunk === 'string' && !chunk.endsWith('\n') ? `${chunk}\n` : chunk
}

/** A record of the CrawlDb as an item for `fetchPages`. */
export function toFetchItem(datum: DbDatum): FetchItem {
  return { url: datum.url, datum, queueId: queueIdOf(datum.url, 'byHost'), segment: '' }
}

/** Records of the CrawlDb for which an expression holds, such as `status == 'db_gone' && retries > 2`, in the order of keys.
 *  @throws {CrawlError} USAGE if the expression cannot be read */
export async function* recordsWhere(crawlDb: CrawlDb, expression: string): AsyncGenerator<DbDatum> {
  const isWanted = recordTest(expression)
  for await (const datum of crawlDb.records()) if (isWanted(datum)) yield datum
}

/** The pages of a WARC file as `parsePage` takes them, in the order they stand there; what is no HTTP answer is passed over. */
export async function* warcPages(path: string): AsyncGenerator<PageInput> {
  for await (const { capture } of readCaptureGroups(path)) {
    if (capture.type !== 'response') continue
    const stored = await contentOf(capture.head, capture.block)
    const contentType = contentTypeOf(stored.fields)
    yield { url: stored.url, bytes: stored.payload, headers: stored.fields, ...(contentType === undefined ? {} : { contentType }) }
  }
}
