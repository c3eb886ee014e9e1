import { cpSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDatum } from '../../../lib/crawldb/lock.js'
import { fetchItemToJson, outcomeToJson } from '../../../lib/record/fetch-json.js'
import { finiteFloat32 } from '../../../lib/record/float32.js'
import { formatLine } from '../../../lib/record/line-format.js'
import { linkToJson } from '../../../lib/record/parse-json.js'
import type { DbDatum, FetchOutcome } from '../../../lib/record/records.js'
import type { Url } from '../../../lib/record/url.js'
import { commitTail } from '../../../lib/segment/encode-parse.js'
import { parts } from '../../../lib/segment/part-names.js'
import { Segment } from '../../../lib/segment/segment.js'
import { hostOf } from '../../../lib/url/hosts.js'
import type { Bench } from '../bench.js'
import { cachedFolder } from './cached.js'
import { dbTimeMs } from './made-db.js'
import { freshUrl, madeUrl, scattered } from './made-urls.js'

/** A segment of pages that the db holds, and of their links: 9 of 10 links have a target of their own, half of the targets stand in the db. */
export interface MadeSegment {
  /** URLs of the db that the segment is made for. */
  readonly urls: number
  readonly pages: number
  /** Links of one page. */
  readonly links: number
}

const pagesPerWrite = 500

/** A folder `segments` with one parsed segment, from the cache. */
export function madeSegment(bench: Bench, made: MadeSegment): Promise<string> {
  const name = `segment-${made.urls}-${made.pages}x${made.links}`
  return cachedFolder(bench, name, folder => buildSegment(folder, made))
}

/** Puts a copy of the made segment into a crawl folder. */
export function copySegment(from: string, crawlFolder: string): void {
  cpSync(from, join(crawlFolder, 'segments'), { recursive: true })
}

async function buildSegment(folder: string, made: MadeSegment): Promise<void> {
  const segment = await Segment.create(folder, dbTimeMs)
  const files = await Promise.all([parts.fetchList, parts.outcomes, parts.crawlParse].map(part => open(segment.pathOf(part), 'w')))
  try {
    for (let from = 0; from < made.pages; from += pagesPerWrite) {
      const texts = ['', '', '']
      for (let page = from; page < Math.min(made.pages, from + pagesPerWrite); page++) {
        for (const [index, text] of pageLines(segment.name, page, made).entries()) texts[index] += text
      }
      for (const [index, file] of files.entries()) await file.write(texts[index] ?? '')
    }
  } finally {
    for (const file of files) await file.close()
  }
  await segment.recordStep('fetch', { endedMs: dbTimeMs })
  await segment.recordStep('parse', { endedMs: dbTimeMs })
}

/** A page's lines of the fetch list, of crawl_fetch and of crawl_parse. */
function pageLines(segment: string, page: number, made: MadeSegment): readonly [list: string, outcome: string, parse: string] {
  const datum = lockDatum(listedDatum(madeUrl(pageIndex(page, made))), { segment, timeMs: dbTimeMs, untilMs: dbTimeMs + 604_800_000 })
  const { url } = datum
  const list = formatLine(url, fetchItemToJson({ url, datum, queueId: hostOf(url), segment }))
  return [list, formatLine(url, outcomeToJson(outcomeOf(url, datum))), parseLines(url, page, made)]
}

function listedDatum(url: Url): DbDatum {
  const times = { fetchTimeMs: dbTimeMs, modifiedTimeMs: 0, fetchIntervalS: 2_592_000 }
  return { url, status: 'db_unfetched', ...times, retries: 0, score: 1, metadata: {} }
}

function pageIndex(page: number, { urls, pages }: MadeSegment): number {
  return Math.floor((page * urls) / pages)
}

function outcomeOf(url: Url, datum: DbDatum): FetchOutcome {
  return {
    url,
    status: 'fetch_success',
    protocolStatus: 'success',
    httpStatus: 200,
    contentType: 'text/html; charset=utf-8',
    contentLengthBytes: 22_000,
    content: { file: 'content-00000.warc.gz', offsetBytes: 1000, lengthBytes: 6000 },
    address: '192.0.2.1',
    protocol: 'http/1.1',
    timing: { startMs: dbTimeMs, endMs: dbTimeMs + 80, firstByteMs: 70 },
    fetchTimeMs: dbTimeMs,
    queueDelayMs: 5000,
    delaySource: 'option',
    metadata: { _pst_: 'success(1), lastModified=0', 'nutch.protocol.code': '200', _rs_: '80' },
    datum,
  }
}

function parseLines(url: Url, page: number, made: MadeSegment): string {
  const score = finiteFloat32(1 / made.links)
  let text = ''
  for (let link = 0; link < made.links; link++) {
    const to = targetOf(page * made.links + link, made)
    text += formatLine(to, linkToJson({ from: url, to, anchor: '', score, metadata: {} }))
  }
  const signature = page.toString(16).padStart(32, '0')
  const line = { status: 'signature', signature, metadata: { 'Content-Type': 'text/html', language: 'en' }, outlinks: made.links }
  return `${text}${url}\t${JSON.stringify(line).slice(0, -1)}${commitTail(1, 1)}`
}

/** Target of link number `number`: even ones stand in the db, odd ones do not. */
function targetOf(number: number, { urls, pages, links }: MadeSegment): Url {
  const targets = Math.max(1, Math.floor(pages * links * 0.9))
  const target = scattered(number % targets, targets)
  const index = Math.floor((target * urls) / targets)
  return target % 2 === 0 ? madeUrl(index) : freshUrl(index)
}
