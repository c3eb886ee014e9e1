import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { HttpExchange } from '../../lib/record/exchange.js'
import { checkWarc } from '../../lib/warc/check-warc.js'
import { type EncodeOptions, encodeExchange, encodeExchanges } from '../../lib/warc/encode-exchange.js'
import { encodeWarcinfo } from '../../lib/warc/encode-warcinfo.js'
import { decodeContent } from '../../lib/warc/stored-content.js'
import { exchangeOf, fetchTimeMs, withFolder } from '../segment/segment-fixtures.js'
import { witnessCdxj, witnessRecords } from './warc-witness.js'

const url = 'http://www.example.com/a?b=1'
const text = 'hello, '.repeat(40)
const head = (...lines: string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')

interface Case {
  readonly why: string
  readonly exchange: Partial<HttpExchange>
  readonly body?: string | Buffer
  readonly options?: EncodeOptions
  readonly type?: string
  readonly status?: number | null
  readonly payload?: string
  /** Field lines that the stored head must have, in this order. */
  readonly stored?: readonly string[]
}

const cases: readonly Case[] = [
  { why: 'a plain page', exchange: {}, stored: ['Content-Type: text/html', `Content-Length: ${text.length}`] },
  {
    why: 'chunked: the coding is recorded under another name, and the length added',
    exchange: { responseHead: head('HTTP/1.1 200 OK', 'Content-Type: text/html', 'Transfer-Encoding: chunked') },
    stored: ['Content-Type: text/html', 'X-Crawler-Transfer-Encoding: chunked', `Content-Length: ${text.length}`],
  },
  {
    why: 'names, case, order and duplicates of fields as received',
    exchange: {
      responseHead: head('HTTP/1.1 200 Fine', 'sEt-CooKie: a=1', 'X-B: 2', 'Set-Cookie: b=2', `content-length:${text.length}`, 'X-A: caf\xe9'),
    },
    stored: ['sEt-CooKie: a=1', 'X-B: 2', 'Set-Cookie: b=2', `content-length:${text.length}`, 'X-A: caf\xe9'],
  },
  {
    why: 'gzip: the body as it came',
    exchange: { responseHead: head('HTTP/1.1 200 OK', 'Content-Encoding: gzip', `Content-Length: ${gzipSync(text).length}`) },
    body: gzipSync(text),
    stored: ['Content-Encoding: gzip', `Content-Length: ${gzipSync(text).length}`],
  },
  {
    why: 'gzip and chunked together',
    exchange: { responseHead: head('HTTP/1.1 200 OK', 'Content-Encoding: gzip', 'Transfer-Encoding: chunked') },
    body: gzipSync(text),
    stored: ['Content-Encoding: gzip', 'X-Crawler-Transfer-Encoding: chunked', `Content-Length: ${gzipSync(text).length}`],
  },
  { why: 'brotli', exchange: { responseHead: head('HTTP/1.1 200 OK', 'Content-Encoding: br') }, body: brotliCompressSync(text) },
  {
    why: 'truncated: the length that was promised is kept under another name',
    exchange: { responseHead: head('HTTP/1.1 200 OK', 'Content-Length: 99999'), truncated: 'length' },
    stored: ['X-Crawler-Content-Length: 99999', `Content-Length: ${text.length}`],
  },
  {
    why: 'HTTP/2: told in the words of HTTP/1.1',
    exchange: {
      protocol: 'h2',
      requestHead: head('GET /a?b=1 HTTP/2', 'host: www.example.com'),
      responseHead: head('HTTP/2 404', 'content-type: text/html'),
    },
    status: 404,
    stored: ['content-type: text/html'],
  },
  {
    why: 'a redirect',
    exchange: { kind: 'redirect', responseHead: head('HTTP/1.1 301 Moved Permanently', 'Location: /x', 'Content-Length: 0') },
    body: '',
    status: 301,
    payload: '',
  },
  {
    why: 'not modified',
    exchange: { responseHead: head('HTTP/1.1 304 Not Modified', 'ETag: "x"', 'Content-Length: 280') },
    body: '',
    status: 304,
    payload: '',
    stored: ['ETag: "x"', 'Content-Length: 280'],
  },
  { why: 'a head without its end', exchange: { responseHead: Buffer.from('HTTP/1.1 200 OK\r\nX: y') }, stored: ['X: y'] },
  {
    why: 'HTTP/0.9: no head at all',
    exchange: { protocol: 'http/0.9', requestHead: Buffer.from('GET /a\r\n'), responseHead: new Uint8Array() },
    type: 'resource',
    status: null,
  },
  {
    why: 'the same content as before',
    exchange: {},
    options: { revisitOf: { url, dateMs: fetchTimeMs - 86_400_000, payloadDigest: 'X' } },
    type: 'revisit',
    payload: '',
  },
]

const sha1 = (bytes: Uint8Array): Buffer => createHash('sha1').update(bytes).digest()

describe('encodeExchange, read by warcio', () => {
  for (const { why, exchange, body = text, options = {}, type = 'response', status = 200, payload = text, stored = [] } of cases)
    it(`writes ${why}`, async () => {
      const given = exchangeOf(url, body, exchange)
      const { bytes, records } = encodeExchange(given, options)
      const [request, answer, ...more] = await witnessRecords(bytes)
      expect(more).to.deep.equal([])
      expect(request?.type).to.equal('request')
      expect(answer).to.include({ type, uri: url, status })
      if (why !== 'brotli') expect(answer?.payload.toString()).to.equal(payload) // warcio for Node does not decode it
      expect(answer?.fields['WARC-Record-ID']).to.equal(request?.fields['WARC-Concurrent-To'])
      expect(answer?.fields['WARC-Date']).to.equal('2026-03-04T05:06:07.089Z')
      const last = records.at(-1)
      const member = bytes.subarray(last?.offsetBytes, (last?.offsetBytes ?? 0) + (last?.lengthBytes ?? 0))
      expect(gunzipSync(member).toString('latin1')).to.include(`\r\n\r\n`)
      const content = await decodeContent(member)
      expect(content.fields.map(([name, value]) => `${name}: ${value}`.toLowerCase())).to.deep.include.ordered.members(
        stored.map(line => line.replace(/:\s*/, ': ').toLowerCase()),
      )
      if (type !== 'revisit') {
        expect(Buffer.from(content.body).equals(given.body), 'body as received').to.equal(true)
        expect(Buffer.from(content.payload).toString()).to.equal(payload)
      }
    })

  it('keeps the bytes of names, values and order of a head that fits', async () => {
    const responseHead = head('HTTP/1.1 200 Fine', 'sEt-CooKie:a=1', 'X-B:   2 ', 'Set-Cookie: b=2', `content-length:${text.length}`, 'X-A: caf\xe9')
    const { bytes, records } = encodeExchange(exchangeOf(url, text, { responseHead }))
    const content = await decodeContent(bytes.subarray(records.at(-1)?.offsetBytes))
    expect(Buffer.from(content.head).equals(responseHead)).to.equal(true)
  })

  it('writes digests that another SHA-1 agrees with', async () => {
    const [, answer] = await witnessRecords(encodeExchange(exchangeOf(url, text)).bytes)
    const digest = answer?.fields['WARC-Payload-Digest'] ?? ''
    const bits = [...digest.slice(5)].map(letter => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
    expect(BigInt(`0b${bits}`).toString(16).padStart(40, '0')).to.equal(sha1(Buffer.from(text)).toString('hex'))
  })

  it('says why a page is truncated, where it was, and over which protocol', async () => {
    const [, answer] = await witnessRecords(encodeExchange(exchangeOf(url, text, { truncated: 'time', protocol: 'h2' })).bytes)
    expect(answer?.fields).to.include({ 'WARC-Truncated': 'time', 'WARC-IP-Address': '127.0.0.1', 'WARC-Protocol': 'h2' })
  })

  it('refers a revisit to the capture it repeats', async () => {
    const revisitOf = { url: 'http://example.com/first', dateMs: Date.UTC(2025, 0, 1), payloadDigest: 'AAAA' }
    const [, answer] = await witnessRecords(encodeExchange(exchangeOf(url, text), { revisitOf }).bytes)
    expect(answer?.fields).to.include({
      'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
      'WARC-Refers-To-Target-URI': 'http://example.com/first',
      'WARC-Refers-To-Date': '2025-01-01T00:00:00Z',
    })
    expect(answer?.fields['WARC-Payload-Digest']).to.match(/^sha1:[A-Z2-7]{32}$/)
  })

  it('writes an answer that says not modified as a revisit of a capture whose time is not known', async () => {
    const responseHead = head('HTTP/1.1 304 Not Modified', 'ETag: "x"')
    const { bytes, records } = encodeExchange(exchangeOf(url, '', { responseHead }), { revisitOf: { url } })
    const [, answer] = await witnessRecords(bytes)
    expect(answer).to.include({ type: 'revisit', status: 304 })
    expect(answer?.fields).to.include({
      'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
      'WARC-Refers-To-Target-URI': url,
    })
    expect(answer?.fields).to.not.have.any.keys('WARC-Refers-To-Date', 'WARC-Payload-Digest', 'WARC-Truncated')
    expect(records.at(-1)?.capture).to.include({ mime: 'warc/revisit', status: '304', digest: '-' })
  })

  it('lets no value begin a field of its own', async () => {
    const [record] = await witnessRecords(
      encodeExchange(exchangeOf(url, '', { url: 'http://a.test/\r\nWARC-Type: warcinfo' }), { keepsRequest: false }).bytes,
    )
    expect(record?.type).to.equal('response')
  })
})

describe('a content file', () => {
  it('is indexed by warcio as by us: key, time, status, digest, offset, length', () =>
    withFolder(async folder => {
      const pages = ['http://www.example.com/', 'https://b.test:8443/X?z=1&a=2', 'http://c.test/%C3%A9'].map(page => exchangeOf(page))
      const info = encodeWarcinfo({ filename: 'content-00000.warc.gz', timeMs: fetchTimeMs, fields: { software: 'Millrace' } })
      const { bytes, records } = encodeExchanges(pages, { metadata: { fetchTimeMs: '20' } })
      const path = join(folder, 'content-00000.warc.gz')
      await writeFile(path, Buffer.concat([info, bytes]))
      const indexed = await witnessCdxj(path)
      const ours = records.flatMap(({ capture, offsetBytes, lengthBytes }) => (capture === undefined ? [] : [{ capture, offsetBytes, lengthBytes }]))
      expect(
        ours.map(({ capture, offsetBytes, lengthBytes }) => ({
          urlkey: capture.urlKey,
          timestamp: capture.timestamp,
          url: capture.url,
          mime: capture.mime,
          status: Number(capture.status),
          digest: capture.digest,
          offset: offsetBytes + info.length,
          length: lengthBytes,
        })),
      ).to.deep.equal(
        indexed.map(({ urlkey, timestamp, url: uri, mime, status, digest, offset, length }) => ({
          urlkey,
          timestamp,
          url: uri,
          mime,
          status: Number(status),
          digest,
          offset,
          length,
        })),
      )
      for await (const record of checkWarc(path)) expect(record.error, `${record.type} at ${record.offset}`).to.equal(null)
    }))
})
