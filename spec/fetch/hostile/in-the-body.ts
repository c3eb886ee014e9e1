import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib'
import { drips, floods, type Misbehaviour, ok, page, sends, sendsAndHangs, sendsAndResets } from './misbehaviour.js'

const success = { status: 'fetch_success', httpStatus: 200 } as const
const cut = (truncated: 'length' | 'time' | 'disconnect'): Misbehaviour['outcome'] => ({ ...success, truncated })
const failed = (causeClass: string): Misbehaviour['outcome'] => ({ status: 'fetch_retry', protocolStatus: 'exception', causeClass })
const packed = (coding: string, body: Buffer, lengthBytes = body.length): Misbehaviour['play'] =>
  sends(`${ok}Content-Encoding: ${coding}\r\nContent-Length: ${lengthBytes}\r\n\r\n`, body)
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`

/** Largest content that the hostile run takes. */
export const contentLimit = 100_000
const zeros = Buffer.alloc(20_000_000)
const gzipBomb = gzipSync(zeros)
const brotliBomb = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
/** Text that packs badly, so that half of the packed bytes are about half of the text. */
const words = Array.from({ length: 3000 }, (_, index) => ((index * 7919) % 10_007).toString(36)).join(' ')
const gzipped = gzipSync(words)
/** The second half overwritten: what was packed before it is whole. */
const spoilt = (bytes: Buffer): Buffer => Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.alloc(bytes.length / 2, 0xff)])

/** From the headers to the end of the body. */
export const inTheBody: readonly Misbehaviour[] = [
  { name: 'closes before the length it gave', play: sends(`${ok}Content-Length: 50000\r\n\r\nhalf`), outcome: cut('disconnect'), payload: 'half' },
  { name: 'closes before any of the length it gave', play: sends(`${ok}Content-Length: 50000\r\n\r\n`), outcome: failed('disconnect') },
  { name: 'resets within the body', play: sendsAndResets(`${ok}Content-Length: 50000\r\n\r\nhalf`), outcome: cut('disconnect'), payload: 'half' },
  { name: 'stalls within the body', play: sendsAndHangs(`${ok}Content-Length: 50000\r\n\r\nhalf`), outcome: cut('time'), payload: 'half' },
  { name: 'stalls before the body', play: sendsAndHangs(`${ok}Content-Length: 50000\r\n\r\n`), outcome: failed('timeout') },
  { name: 'drips its body', play: drips(`${ok}\r\n`, 'x', 20), outcome: cut('time') },
  { name: 'never ends its body', play: floods(`${ok}\r\n`, 'x'.repeat(10_000)), outcome: cut('length'), payload: contentLimit },
  { name: 'never ends its chunks', play: floods(chunked, `3e8\r\n${'x'.repeat(1000)}\r\n`), outcome: cut('length'), payload: contentLimit },
  { name: 'never ends a chunk size line', play: floods(`${chunked}5;`, 'x'.repeat(4096)), outcome: failed('timeout') },
  { name: 'has no chunk size', play: sends(`${chunked}this is no chunk size\r\n`), outcome: failed('protocol') },
  { name: 'has a negative chunk size', play: sends(`${chunked}-5\r\nhello\r\n0\r\n\r\n`), outcome: failed('protocol') },
  { name: 'has a chunk size beyond all numbers', play: sends(`${chunked}FFFFFFFFFFFFFFFFF\r\nhello`), outcome: failed('protocol') },
  { name: 'closes within a chunk', play: sends(`${chunked}10\r\nhello`), outcome: cut('disconnect'), payload: 'hello' },
  { name: 'leaves out the last chunk', play: sends(`${chunked}5\r\nhello\r\n`), outcome: cut('disconnect'), payload: 'hello' },
  { name: 'has a bad second chunk', play: sends(`${chunked}5\r\nhello\r\nzz\r\nworld\r\n0\r\n\r\n`), outcome: cut('disconnect'), payload: 'hello' },
  { name: 'sends trailers', play: sends(`${chunked}5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-End: yes\r\n\r\n`), outcome: success, payload: 'hello' },
  { name: 'never ends its trailers', play: floods(`${chunked}5\r\nhello\r\n0\r\n`, 'X-Sum: 1\r\n'), outcome: cut('disconnect'), payload: 'hello' },
  { name: 'chunks with LF alone', play: sends('HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n'), outcome: success, payload: 'hello' },
  {
    name: 'gives a length and chunks',
    play: sends(`${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
    outcome: success,
    payload: 'hello',
  },
  { name: 'gives its length twice', play: sends(`${ok}Content-Length: 4\r\nContent-Length: 4\r\n\r\nfine`), outcome: success, payload: 'fine' },
  { name: 'gives two lengths', play: sends(`${ok}Content-Length: 2\r\nContent-Length: 4\r\n\r\nfine`), outcome: success, payload: 'fine' },
  { name: 'gives a negative length', play: sends(`${ok}Content-Length: -4\r\n\r\nfine`), outcome: success, payload: 'fine' },
  { name: 'gives a length that is no number', play: sends(`${ok}Content-Length: many\r\n\r\nfine`), outcome: success, payload: 'fine' },
  { name: 'gives a length beyond all numbers', play: sends(`${ok}Content-Length: ${'9'.repeat(40)}\r\n\r\nfine`), outcome: success, payload: 'fine' },
  { name: 'sends more than the length it gave', play: sends(`${ok}Content-Length: 4\r\n\r\nfine and more`), outcome: success, payload: 'fine' },
  { name: 'sends two answers for one request', play: sendsAndHangs(page('first'), page('second')), outcome: success, payload: 'first' },
  {
    name: 'sends a body with 204',
    play: sends('HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody'),
    outcome: { status: 'fetch_success', httpStatus: 204 },
    payload: '',
  },
  { name: 'answers 304 unasked', play: sends('HTTP/1.1 304 Not Modified\r\n\r\n'), outcome: { status: 'fetch_retry', httpStatus: 304 } },
  {
    name: 'answers 206 unasked',
    play: sends('HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4\r\n\r\nhalf'),
    outcome: { status: 'fetch_success', httpStatus: 206, truncated: 'length' },
  },
  { name: 'calls plain text gzip', play: packed('gzip', Buffer.from('plain text')), outcome: success, payload: 'plain text' },
  { name: 'calls raw deflate gzip', play: packed('deflate', deflateRawSync('fine')), outcome: success, payload: 'fine' },
  { name: 'packs twice and says so once', play: packed('gzip', gzipSync(gzipSync('fine'))), outcome: success, payload: 'fine' },
  { name: 'packs twice and says so', play: packed('gzip, gzip', gzipSync(gzipSync('fine'))), outcome: success, payload: 'fine' },
  {
    name: 'packs by Transfer-Encoding',
    play: sends(`${ok}Transfer-Encoding: gzip, chunked\r\n\r\n${gzipSync('fine').length.toString(16)}\r\n`, gzipSync('fine'), '\r\n0\r\n\r\n'),
    outcome: success,
    payload: 'fine',
  },
  {
    name: 'packs by Transfer-Encoding and Content-Encoding',
    play: sends(`${ok}Transfer-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n`, gzipSync(gzipSync('fine'))),
    outcome: success,
    payload: 'fine',
  },
  {
    name: 'sends a bomb by Transfer-Encoding',
    play: sends(`${ok}Transfer-Encoding: gzip\r\n\r\n`, gzipBomb),
    outcome: cut('length'),
    payload: contentLimit,
  },
  { name: 'names a charset as coding behind gzip', play: packed('gzip, utf-8', gzipSync('fine')), outcome: success, payload: 'fine' },
  { name: 'names a charset as coding before gzip', play: packed('utf-8, gzip', gzipSync('fine')), outcome: success, payload: 'fine' },
  { name: 'puts its coding in quotes', play: packed('"gzip"', gzipSync('fine')), outcome: success, payload: 'fine' },
  { name: 'gives its coding a parameter', play: packed('gzip;q=1.0', gzipSync('fine')), outcome: success, payload: 'fine' },
  { name: 'calls gzip brotli', play: packed('br', gzipSync('fine')), outcome: success, payload: 'fine' },
  { name: 'packs in a way nobody knows', play: packed('lzma', Buffer.from('????')), outcome: success, payload: '????' },
  { name: 'packs ten times', play: packed(Array(10).fill('gzip').join(','), gzipSync('fine')), outcome: success },
  { name: 'breaks gzip off', play: packed('gzip', gzipped.subarray(0, gzipped.length / 2), gzipped.length), outcome: cut('disconnect') },
  { name: 'breaks gzip off and says that this is all', play: packed('gzip', gzipped.subarray(0, gzipped.length / 2)), outcome: cut('disconnect') },
  {
    name: 'spoils gzip in the middle',
    play: packed('gzip', spoilt(gzipped)),
    outcome: cut('disconnect'),
  },
  { name: 'sends a gzip bomb', play: packed('gzip', gzipBomb), outcome: cut('length'), payload: contentLimit },
  { name: 'sends a brotli bomb', play: packed('br', brotliBomb), outcome: cut('length'), payload: contentLimit },
  { name: 'sends a bomb within gzip', play: packed('br, gzip', gzipSync(brotliBomb)), outcome: cut('length'), payload: contentLimit },
]
