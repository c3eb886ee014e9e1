import { createHash } from 'node:crypto'
import type { CrawlDb } from '../../../lib/crawldb/crawl-db.js'
import type { DbDatum } from '../../../lib/record/records.js'
import { storedUrl, type Url } from '../../../lib/record/url.js'
import { keyOfUrl, reversedHost } from '../../../lib/record/url-key.js'

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

/** URL number `index` of a host: about 65 characters, as URLs of crawls are. Without TLS, so that a proxy on loopback can answer for all. */
export function urlNumber(host: string, index: number): Url {
  const slug = `${words[index % words.length]}-${words[(index * 7) % words.length]}-${(index * 2654435761) % 1_000_000}`
  return storedUrl(`http://${host}/${sections[index % sections.length]}/${slug}${index % 4 === 0 ? `?page=${index % 50}` : '.html'}`)
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
