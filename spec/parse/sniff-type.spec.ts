import { expect } from 'chai'
import { parsePage } from '../../lib/parse/parse-page.js'
import { mediaTypeOf } from '../../lib/parse/type/media-type.js'
import { sniffType } from '../../lib/parse/type/sniff-type.js'
import { parseOptions } from './parse-support.js'

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const html = '<!DOCTYPE html><html><body><a href="/n">n</a>'

interface SniffCase {
  readonly contentType?: string
  readonly content: string | Buffer
  readonly url?: string
  readonly type: string
}

const cases: readonly SniffCase[] = [
  { contentType: 'application/x-download; filename="\u00cf-593.rtf"', content: '{\\rtf1 x}', type: 'application/x-download' },
  { contentType: 'text/html', content: png, type: 'image/png' },
  { content: html, type: 'text/html' },
  { contentType: '', content: '<html><body>', type: 'text/html' },
  { contentType: 'application/octet-stream', content: html, type: 'text/html' },
  { contentType: ' Text/HTML ;; Charset="UTF-8" ; x', content: '<html>', type: 'text/html' },
  { contentType: 'garbage', content: ' \n<!-- licence --><p>x', type: 'text/html' },
  { contentType: 'text/plain', content: html, type: 'text/plain' },
  { contentType: 'text/plain', content: Buffer.from([1, 2, 3, 0]), type: 'application/octet-stream' },
  { contentType: 'text/html', content: '<?xml version="1.0"?><!-- x --><rss version="2.0">', type: 'application/rss+xml' },
  { contentType: 'text/html', content: '<feed xmlns="http://www.w3.org/2005/Atom">', type: 'application/atom+xml' },
  { contentType: 'text/html', content: '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', type: 'text/html' },
  { contentType: 'application/xml', content: '<html xmlns="http://www.w3.org/1999/xhtml">', type: 'application/xhtml+xml' },
  { contentType: 'text/xml', content: '<rdf:RDF xmlns="http://purl.org/rss/1.0/">', type: 'application/rdf+xml' },
  { contentType: 'text/xml', content: '<svg xmlns="http://www.w3.org/2000/svg">', type: 'image/svg+xml' },
  { contentType: 'text/xml', content: '<opml version="2.0">', type: 'text/x-opml' },
  { contentType: 'text/xml', content: '<urlset>', type: 'text/xml' },
  { contentType: 'application/pdf', content: html, type: 'application/pdf' },
  { contentType: 'text/html', content: '%PDF-1.7', type: 'application/pdf' },
  { content: 'just words', type: 'text/plain' },
  { content: '', type: 'text/plain' },
  { content: 'a,b', url: 'http://example.com/t.csv?x=1', type: 'text/csv' },
  { content: Buffer.from([0x1f, 0x8b, 8, 0]), type: 'application/gzip' },
  { content: Buffer.from('PK\x03\x04'), type: 'application/zip' },
  { content: Buffer.from([0, 1, 2]), url: 'http://example.com/a.exe', type: 'application/x-msdownload' },
  { content: Buffer.from([0, 1, 2]), type: 'application/octet-stream' },
  { content: Buffer.from('\ufeff<html>', 'utf16le'), type: 'text/html' },
  { content: Buffer.from('<html><p>', 'utf16le'), type: 'text/html' },
  { content: Buffer.from('<html><p>', 'utf16le').swap16(), type: 'text/html' },
  { contentType: 'text/plain; charset=utf-16le', content: Buffer.from('two lines\r\nof it', 'utf16le'), type: 'text/plain' },
  { contentType: 'text/plain', content: Buffer.from(new Uint16Array([1, 2, 3, 700, 4, 5, 6, 7]).buffer), type: 'application/octet-stream' },
]

describe('the type of a page', () => {
  for (const { contentType, content, url = 'http://example.com/x', type } of cases) {
    it(`${JSON.stringify(contentType ?? null)} with ${JSON.stringify(content.toString('latin1').slice(0, 40))} is ${type}`, () => {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      expect(sniffType({ url, bytes, ...(contentType === undefined ? {} : { contentType }) })).to.equal(type)
    })
  }

  const words: readonly { readonly content: string; readonly contentType?: string; readonly type: string }[] = [
    { content: '<!doctype html><html><head><title>LP records</title>', contentType: 'text/html', type: 'text/html' },
    { content: '<!doctype html><html><head><title>LP records</title>', type: 'text/html' },
    { content: 'The ftyp box', contentType: 'text/html', type: 'text/html' },
    { content: 'OTTO lists', contentType: 'text/plain', type: 'text/plain' },
    { content: 'ID3 tags', type: 'text/plain' },
    { content: 'BZh, CWS', contentType: 'text/csv', type: 'text/csv' },
  ]
  for (const { content, contentType, type } of words) {
    it(`is not read from a word that a binary format begins with: ${contentType ?? 'no type'}, ${content}`, () => {
      expect(sniffType({ url: 'http://example.com/x', bytes: Buffer.from(content), ...(contentType === undefined ? {} : { contentType }) })).to.equal(
        type,
      )
    })
  }

  it('is read from such a word where binary data follows', () => {
    const mp3 = Buffer.from('ID3\x04\0\0\0\0\x0f')
    expect(sniffType({ url: 'http://example.com/x', bytes: mp3, contentType: 'text/plain' })).to.equal('audio/mpeg')
  })

  it('is what the server says, if told so', () => {
    const page = { url: 'http://example.com/', bytes: png, contentType: 'text/html' }
    expect(parsePage(page, parseOptions({ 'mime.type.magic': false })).mediaType).to.equal('text/html')
  })

  it('decides whether the page is parsed at all', () => {
    const parse = parsePage({ url: 'http://example.com/', bytes: png, contentType: 'text/html' }, parseOptions())
    expect(parse).to.include({ status: 'notparsed', cause: 'type: image/png is not parsed', text: '', title: '' })
    expect(parse.links).to.deep.equal([])
  })

  it('reads what servers send as Content-Type', () => {
    const headers = {
      'Text/HTML': 'text/html',
      ' a/b ; c': 'a/b',
      'a/b,c/d': 'a/b',
      '': undefined,
      'a b/c': undefined,
      '/': undefined,
      'text/': undefined,
    }
    for (const [header, type] of Object.entries(headers)) expect(mediaTypeOf(header), header).to.equal(type)
  })
})
