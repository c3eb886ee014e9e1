import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { HttpExchange } from '../../../lib/record/exchange.js'
import { noMetadata } from '../../../lib/record/metadata.js'
import type { FetchOutcome } from '../../../lib/record/records.js'
import { encodeParse } from '../../../lib/segment/encode-parse.js'
import { FetchListWriter } from '../../../lib/segment/fetch-list-writer.js'
import { ParseWriter } from '../../../lib/segment/parse-writer.js'
import { Segment } from '../../../lib/segment/segment.js'
import { SegmentWriter } from '../../../lib/segment/segment-writer.js'
import { type EncodeOptions, encodeExchange } from '../../../lib/warc/encode-exchange.js'
import { exchangeOf, fetchTimeMs, itemOf, linkOf, outcomeOf, parseOf, writerOptions } from '../../segment/segment-fixtures.js'

/** A page of a segment that a spec makes by hand. */
export interface SpecPage {
  readonly url: string
  readonly body: string
  readonly outcome?: Partial<FetchOutcome>
  readonly exchange?: Partial<HttpExchange>
  readonly encode?: EncodeOptions
  /** Targets of links; a page without them is not parsed. */
  readonly links?: readonly string[]
}

/** Makes a fetched and parsed segment, named for `timeMs`, in `<crawl>/segments`. */
export async function crawledSegment(crawl: string, pages: readonly SpecPage[], timeMs = fetchTimeMs): Promise<Segment> {
  const segment = await Segment.create(join(crawl, 'segments'), timeMs)
  const list = await FetchListWriter.open(segment)
  await list.write(pages.map(({ url }) => itemOf(url)))
  await list.commit()
  const content = await SegmentWriter.open(segment, writerOptions)
  for (const { url, body, outcome, exchange, encode } of pages) {
    const stored = exchangeOf(url, body, { startMs: timeMs, endMs: timeMs + 10, ...exchange })
    const timing = { startMs: timeMs, endMs: timeMs + 10 }
    const said = { httpStatus: 200, contentType: 'text/html', contentLengthBytes: body.length, timing, ...outcome }
    await content.append(encodeExchange(stored, encode), outcomeOf(url, said))
  }
  await content.finish({ items: pages.length })
  const parse = await ParseWriter.open(segment, { syncs: 'never' })
  for (const { url, body, links } of pages) {
    if (links === undefined) continue
    const outlinks = links.map(to => ({ url: linkOf(url, to).to, anchor: `to ${to}`, rel: '', element: 'a' }))
    const given = links.map(to => linkOf(url, to, { anchor: `to ${to}`, metadata: noMetadata }))
    await parse.append(encodeParse(parseOf(url, { title: `Title of ${url}`, text: body.replace(/<[^>]*>/g, ''), outlinks }), given))
  }
  await parse.finish({ pages: pages.length })
  return segment
}

const html = (text: string): string => `<html><head><title>${text}</title></head><body><p>${text}</p></body></html>`

/** Pages of several kinds: plain, compressed, truncated, redirecting, missing. */
export const somePages: readonly SpecPage[] = [
  { url: 'http://a.test/', body: html('start'), links: ['http://a.test/gz', 'http://b.test/'] },
  {
    url: 'http://a.test/gz',
    body: html('packed'),
    exchange: {
      body: gzipSync(html('packed')),
      responseHead: Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n'),
    },
    links: [],
  },
  {
    url: 'http://b.test/',
    body: 'plain text',
    exchange: { responseHead: Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n') },
    outcome: { contentType: 'text/plain' },
    links: [],
  },
  {
    url: 'http://b.test/cut',
    body: html('cut'),
    exchange: { truncated: 'length', responseHead: Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 999\r\n\r\n') },
    outcome: { truncated: 'length' },
    links: [],
  },
  {
    url: 'http://b.test/moved',
    body: '',
    exchange: { responseHead: Buffer.from('HTTP/1.1 301 Moved Permanently\r\nLocation: /\r\nContent-Length: 0\r\n\r\n') },
    outcome: { status: 'fetch_redir_perm', protocolStatus: 'moved', httpStatus: 301 },
  },
  {
    url: 'http://b.test/none',
    body: html('none'),
    exchange: { responseHead: Buffer.from('HTTP/2 404\r\ncontent-type: text/html\r\n\r\n'), protocol: 'h2' },
    outcome: { status: 'fetch_gone', protocolStatus: 'notfound', httpStatus: 404 },
  },
]
