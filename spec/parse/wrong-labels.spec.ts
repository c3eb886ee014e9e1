import { expect } from 'chai'
import { decideCharset } from '../../lib/parse/charset/decide-charset.js'
import { parsePage } from '../../lib/parse/parse-page.js'
import { parseSitemap } from '../../lib/parse/sitemap/parse-sitemap.js'
import type { SitemapOptions } from '../../lib/parse/sitemap/sitemap-entry.js'
import { parseOptions } from './parse-support.js'

/** Bytes of a one-byte charset, given as Latin-1. */
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')
const privet = '\xcf\xf0\xe8\xe2\xe5\xf2' // "Привет" in windows-1251

interface LabelCase {
  readonly why: string
  readonly bytes: Buffer
  readonly contentType: string
  readonly title: string
  readonly source: string
}

const cases: readonly LabelCase[] = [
  {
    why: 'UTF-8 by the header, a charset of its own by the page: the page',
    bytes: bytesOf(`<meta charset=windows-1251><title>${privet}</title>`),
    contentType: 'text/html; charset=utf-8',
    title: 'Привет',
    source: 'meta',
  },
  {
    why: 'the same with a single letter that is no UTF-8',
    bytes: bytesOf('<meta charset=iso-8859-1><title>caf\xe9</title>'),
    contentType: 'text/html; charset=utf-8',
    title: 'café',
    source: 'meta',
  },
  {
    why: 'the page’s word does not count where the header’s UTF-8 is true',
    bytes: Buffer.from('<meta charset=iso-8859-1><title>café</title>'),
    contentType: 'text/html; charset=utf-8',
    title: 'café',
    source: 'header',
  },
  {
    why: 'UTF-16 by the header, and no byte of it is',
    bytes: Buffer.from('<title>café</title>'),
    contentType: 'text/html; charset=utf-16',
    title: 'café',
    source: 'utf8',
  },
  {
    why: 'the same by its old name, and a page that says better',
    bytes: bytesOf(`<meta charset=windows-1251><title>${privet}</title>`),
    contentType: 'text/html; charset=unicode',
    title: 'Привет',
    source: 'meta',
  },
  {
    why: 'UTF-8 by the header, UTF-16 without a mark in truth',
    bytes: Buffer.from('<title>café</title>', 'utf16le'),
    contentType: 'text/html; charset=utf-8',
    title: 'café',
    source: 'detector',
  },
  {
    why: 'a charset and, joined by a comma, the type again',
    bytes: bytesOf(`<title>${privet}</title>`),
    contentType: 'text/html; charset=windows-1251, text/html',
    title: 'Привет',
    source: 'header',
  },
  {
    why: 'XML that is declared behind an empty line',
    bytes: bytesOf(`\n<?xml version="1.0" encoding="windows-1251"?><rss><channel><title>${privet}</title></channel></rss>`),
    contentType: 'application/rss+xml',
    title: 'Привет',
    source: 'xml',
  },
  {
    why: 'XML without a declaration that is no UTF-8',
    bytes: bytesOf('<rss><channel><title>caf\xe9 d\xe9j\xe0</title></channel></rss>'),
    contentType: 'application/rss+xml',
    title: 'café déjà',
    source: 'default',
  },
]

describe('charset labels that are wrong', () => {
  for (const { why, bytes, contentType, title, source } of cases) {
    it(why, () => {
      const parse = parsePage({ url: 'http://example.com/', bytes, contentType }, parseOptions())
      expect(parse).to.include({ title, charsetSource: source })
    })
  }

  it('are kept where the detector is turned off', () => {
    const options = { defaultCharset: 'windows-1252', minCharsetConfidence: -1 }
    const bytes = bytesOf(`<meta charset=windows-1251><title>${privet}</title>`)
    expect(decideCharset(bytes, 'text/html; charset=utf-8', options)).to.include({ charset: 'utf-8', source: 'header' })
  })

  const sitemap = '<urlset><url><loc>http://a.example/é</loc></url></urlset>'
  for (const [why, bytes, contentType] of [
    ['UTF-16 by the header of a sitemap in UTF-8', Buffer.from(sitemap), 'application/xml; charset=utf-16'],
    ['none for a sitemap in UTF-16', Buffer.from(sitemap, 'utf16le'), 'application/xml'],
    [
      'UTF-8 by the header of a sitemap that declares Latin-1',
      bytesOf(`<?xml version="1.0" encoding="iso-8859-1"?>${sitemap}`),
      'text/xml; charset=utf-8',
    ],
  ] as const) {
    it(why, async () => {
      const options: SitemapOptions = {
        url: 'http://a.example/sitemap.xml',
        isStrict: true,
        maxBytes: 1_000_000,
        maxDepth: 100,
        maxAttributeChars: 1000,
      }
      const urls: string[] = []
      for await (const { url } of parseSitemap(once(bytes), options, contentType)) urls.push(url)
      expect(urls).to.deep.equal(['http://a.example/%C3%A9'])
    })
  }
})

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
