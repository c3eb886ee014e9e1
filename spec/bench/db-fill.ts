import { createHash } from 'node:crypto'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import type { DbDatum, FetchOutcome, Outlink, Parse } from '../../lib/record/records.js'
import { storedUrl, type Url } from '../../lib/record/url.js'
import { keyOfUrl, reversedHost } from '../../lib/record/url-key.js'
import { encodeParse } from '../../lib/segment/encode-parse.js'
import { FetchListWriter } from '../../lib/segment/fetch-list-writer.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { Segment } from '../../lib/segment/segment.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import type { JobContext } from '../../pipelines/job.js'

export interface FillOptions {
  readonly urls: number
  readonly hosts: number
  /** Records that are due at the time of the job; the rest were fetched and wait. */
  readonly due: number
}

const recordsPerBatch = 5000
const dayMs = 86_400_000
const sections = ['news', 'archive', 'products/catalogue', 'forum/thread', 'en/articles', 'blog/2025', 'wiki', 'shop/items']
const words = ['introduction', 'annual-report', 'overview', 'how-to-choose-a', 'history-of', 'interview-with', 'price-list', 'release-notes']

/** Host number `index`: `www.site17.example`, of several top levels. */
export function hostNumber(index: number): string {
  return `${index % 3 === 0 ? 'www.' : ''}site${index.toString(36)}.${['example', 'com', 'org', 'co.uk', 'de'][index % 5]}`
}

/** URL number `index` of a host: about 65 characters, as URLs of crawls are. */
export function urlNumber(host: string, index: number): Url {
  const slug = `${words[index % words.length]}-${words[(index * 7) % words.length]}-${(index * 2654435761) % 1_000_000}`
  return storedUrl(`https://${host}/${sections[index % sections.length]}/${slug}${index % 4 === 0 ? `?page=${index % 50}` : '.html'}`)
}

/** Fills an empty CrawlDb in the order of keys: pages that wait have a signature and what a fetch leaves behind; those due have not. */
export async function fillDb(crawlDb: CrawlDb, { urls, hosts, due }: FillOptions, nowMs: number): Promise<void> {
  const order = Array.from({ length: hosts }, (_, index) => index).sort((a, b) =>
    reversedHost(hostNumber(a)) < reversedHost(hostNumber(b)) ? -1 : 1,
  )
  let batch: DbDatum[] = []
  let done = 0
  const write = async (): Promise<void> => {
    const merged = batch.map(next => ({ key: keyOfUrl(next.url), old: undefined, next }))
    batch = []
    await crawlDb.commits.run(() => crawlDb.commit(merged))
  }
  for (const [rank, hostIndex] of order.entries()) {
    const host = hostNumber(hostIndex)
    const ofHost = Math.floor(((rank + 1) * urls) / hosts) - Math.floor((rank * urls) / hosts)
    for (let index = 0; index < ofHost; index++, done++) {
      const isDue = Math.floor(((done + 1) * due) / urls) > Math.floor((done * due) / urls)
      batch.push(isDue ? dueDatum(urlNumber(host, index), done, nowMs) : waitingDatum(urlNumber(host, index), done, nowMs))
    }
    if (batch.length >= recordsPerBatch) await write()
  }
  await write()
}

/** Scores as OPIC leaves them: many small ones, few large. */
function scoreOf(number: number): number {
  return Math.fround(1 / (1 + ((number * 2654435761) % 10_007)))
}

function dueDatum(url: Url, number: number, nowMs: number): DbDatum {
  const fetchTimeMs = nowMs - (number % 1000) * 1000
  return { url, status: 'db_unfetched', fetchTimeMs, modifiedTimeMs: 0, retries: 0, fetchIntervalS: 2_592_000, score: scoreOf(number), metadata: {} }
}

function waitingDatum(url: Url, number: number, nowMs: number): DbDatum {
  const fetchedMs = nowMs - (number % 29) * dayMs - (number % 86_399) * 1000
  return {
    url,
    status: 'db_fetched',
    fetchTimeMs: fetchedMs + 30 * dayMs,
    modifiedTimeMs: fetchedMs,
    retries: 0,
    fetchIntervalS: 2_592_000,
    score: scoreOf(number),
    signature: createHash('md5').update(url).digest(),
    metadata: { _pst_: 'success(1), lastModified=0', 'nutch.protocol.code': '200', _rs_: String(number % 900) },
  }
}

export interface SegmentFill {
  readonly outcomes: number
  readonly linksPerPage: number
  readonly hosts: number
  /** URLs of a host that links may lead to. */
  readonly urlsPerHost: number
}

/** Writes a fetched and parsed segment: pages that are in the db, each with links, most of them within its host. */
export async function fillSegment(context: JobContext, { outcomes, linksPerPage, hosts, urlsPerHost }: SegmentFill): Promise<Segment> {
  const nowMs = context.clock.nowMs()
  const segment = await Segment.create(context.folder.segments, nowMs)
  const list = await FetchListWriter.open(segment)
  const fetched = await SegmentWriter.open(segment, { encodeWarcinfo: () => new Uint8Array(), syncs: 'never' })
  const parsed = await ParseWriter.open(segment, { syncs: 'never' })
  for (let number = 0; number < outcomes; number++) {
    const hostIndex = number % hosts
    const host = hostNumber(hostIndex)
    const datum = dueDatum(urlNumber(host, Math.floor(number / hosts) % urlsPerHost), number, nowMs)
    await list.write([{ url: datum.url, datum, queueId: host, segment: segment.name }])
    await fetched.append(undefined, outcomeOf(datum, nowMs))
    const outlinks = Array.from({ length: linksPerPage }, (_, link): Outlink => {
      const target = link % 5 === 0 ? hostNumber((hostIndex * 31 + link * 7919) % hosts) : host
      return { url: urlNumber(target, (number * 13 + link * 101) % urlsPerHost), anchor: '', rel: '', element: 'a' }
    })
    const shares = context.scoring.distribute({ from: datum, parseMetadata: {}, extractedCount: outlinks.length, links: outlinks })
    await parsed.append(encodeParse(parseOf(datum.url, outlinks), shares, { storesText: false }))
  }
  await list.commit()
  await segment.recordStep('generate', { items: outcomes, timeMs: nowMs })
  await fetched.finish({ items: outcomes, timeMs: nowMs })
  await parsed.finish({ items: outcomes, timeMs: nowMs })
  return segment
}

function outcomeOf(datum: DbDatum, nowMs: number): FetchOutcome {
  return {
    url: datum.url,
    status: 'fetch_success',
    protocolStatus: 'success',
    datum,
    httpStatus: 200,
    contentType: 'text/html',
    timing: { startMs: nowMs, endMs: nowMs + 120 },
    metadata: { 'nutch.protocol.code': '200', _rs_: '120' },
  }
}

function parseOf(url: Url, outlinks: readonly Outlink[]): Parse {
  return {
    url,
    status: 'success',
    title: '',
    text: '',
    outlinks,
    metadata: {},
    robots: { noindex: false, nofollow: false, noarchive: false },
    signature: createHash('md5').update(`page ${url}`).digest(),
  }
}
