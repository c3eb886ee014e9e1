import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HttpExchange } from '../../lib/record/exchange.js'
import { noMetadata } from '../../lib/record/metadata.js'
import type { DbDatum, FetchItem, FetchOutcome, Link, Parse } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'
import { Segment } from '../../lib/segment/segment.js'
import type { SegmentWriterOptions } from '../../lib/segment/segment-writer.js'
import { encodeWarcinfo } from '../../lib/warc/encode-warcinfo.js'

/** 2026-03-04 05:06:07.089 UTC. */
export const fetchTimeMs = Date.UTC(2026, 2, 4, 5, 6, 7, 89)

export function datumOf(url: string): DbDatum {
  const times = { fetchTimeMs: fetchTimeMs - 1000, modifiedTimeMs: 0, retries: 0, fetchIntervalS: 2_592_000 }
  return { url: storedUrl(url), status: 'db_unfetched', ...times, score: 1, metadata: noMetadata }
}

export function itemOf(url: string, queueId = new URL(url).host): FetchItem {
  return { url: storedUrl(url), datum: datumOf(url), queueId, segment: '20260304050607' }
}

export function outcomeOf(url: string, more: Partial<FetchOutcome> = {}): FetchOutcome {
  const timing = { startMs: fetchTimeMs, endMs: fetchTimeMs + 20 }
  return { url: storedUrl(url), status: 'fetch_success', protocolStatus: 'success', datum: datumOf(url), timing, metadata: noMetadata, ...more }
}

export function exchangeOf(url: string, body: string | Uint8Array = `<p>${url}</p>`, more: Partial<HttpExchange> = {}): HttpExchange {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return {
    kind: 'page',
    url,
    startMs: fetchTimeMs,
    endMs: fetchTimeMs + 20,
    address: '127.0.0.1',
    protocol: 'http/1.1',
    requestHead: Buffer.from(`GET ${new URL(url).pathname} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`),
    responseHead: Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${bytes.length}\r\n\r\n`),
    body: bytes,
    payload: bytes,
    ...more,
  }
}

export function parseOf(url: string, more: Partial<Parse> = {}): Parse {
  return {
    url: storedUrl(url),
    status: 'success',
    title: 'A title',
    text: `text of ${url}`,
    outlinks: [],
    metadata: noMetadata,
    robots: { noindex: false, nofollow: false, noarchive: false },
    signature: Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
    ...more,
  }
}

export function linkOf(from: string, to: string, more: Partial<Link> = {}): Link {
  return { from: storedUrl(from), to: storedUrl(to), anchor: 'anchor', score: 0.5, metadata: noMetadata, ...more }
}

export const writerOptions: SegmentWriterOptions = { encodeWarcinfo: filename => encodeWarcinfo({ filename, timeMs: fetchTimeMs }), syncs: 'never' }

/** Runs `use` with a folder that is gone afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-segment-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export function withSegment<T>(use: (segment: Segment) => Promise<T>): Promise<T> {
  return withFolder(async folder => use(await Segment.create(folder, fetchTimeMs)))
}

/** All records of an iterable of batches. */
export async function collect<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const records: T[] = []
  for await (const batch of batches) records.push(...batch)
  return records
}
