import type { IndexedPage } from '../lib/index/document.js'
import type { LinkDb } from '../lib/linkdb/link-db.js'
import type { DbDatum, FetchOutcome, Parse } from '../lib/record/records.js'
import type { Url } from '../lib/record/url.js'
import { hostOf } from '../lib/url/hosts.js'
import type { ContentReader } from '../lib/warc/content-reader.js'
import type { StoredContent } from '../lib/warc/stored-content.js'
import type { JobContext } from './job.js'

/** Where the parts of a page come from. */
export interface PageSources {
  readonly context: JobContext
  /** For anchors; without it documents have none. */
  readonly linkDb?: LinkDb | undefined
  readonly content: ContentReader
  readonly segment: string
  readonly withBody: boolean
}

/** What was read of one page. */
export interface ReadPage {
  /** The URL that its document has. */
  readonly id: Url
  readonly outcome: FetchOutcome
  readonly parse: Parse
  readonly datum: DbDatum
}

/** Joins a page with the score of the CrawlDb and the anchors of the LinkDb as they are now. Its WARC record is read only where it is asked for. */
export async function readIndexedPage(sources: PageSources, { id, outcome, parse, datum }: ReadPage): Promise<IndexedPage> {
  const { context, linkDb, segment, withBody } = sources
  const stored = withBody || context.config.index.contentMetadataKeys.length > 0 ? await storedContent(sources, outcome) : undefined
  return {
    id,
    parse,
    datum,
    segment,
    anchors: linkDb === undefined ? [] : await readAnchors(linkDb, parse.url, context.config.link.maxInlinks),
    boost: context.scoring.indexerBoost(datum),
    fetchTimeMs: outcome.fetchTimeMs ?? outcome.timing.endMs,
    ...(outcome.modifiedTimeMs === undefined ? {} : { modifiedTimeMs: outcome.modifiedTimeMs }),
    ...(outcome.contentLengthBytes === undefined ? {} : { contentLengthBytes: outcome.contentLengthBytes }),
    headers: headersOf(stored),
    ...(withBody && stored !== undefined ? { binaryContent: Buffer.from(stored.payload).toString('base64') } : {}),
  }
}

async function storedContent({ content }: PageSources, outcome: FetchOutcome): Promise<StoredContent | undefined> {
  return content.readAnswer(outcome)
}

/** Distinct anchors, one of each text for each source host (Nutch's Inlinks.getAnchors). */
async function readAnchors(linkDb: LinkDb, url: Url, limit: number): Promise<string[]> {
  const seen = new Set<string>()
  const anchors: string[] = []
  for await (const { from, anchor } of linkDb.inlinks(url, limit)) {
    const key = `${hostOf(from)} ${anchor}`
    if (anchor === '' || seen.has(key)) continue
    seen.add(key)
    anchors.push(anchor)
  }
  return anchors
}

/** Values by name in lower case, as received. */
function headersOf(stored: StoredContent | undefined): Record<string, string[]> {
  const headers: Record<string, string[]> = {}
  for (const [name, value] of stored?.fields ?? []) {
    const key = name.toLowerCase()
    headers[key] = [...(Object.hasOwn(headers, key) ? (headers[key] ?? []) : []), value]
  }
  return headers
}
