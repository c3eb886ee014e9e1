import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseDate } from '../../lib/parse/date/parse-date.js'
import type { PageParse } from '../../lib/parse/page.js'
import { parsePage } from '../../lib/parse/parse-page.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { parseOptions } from './parse-support.js'

interface FeedCase {
  readonly id: string
  readonly file: string
  readonly contentType?: string
  readonly recorded: {
    readonly title?: string | null
    readonly entryCount: number
    readonly entries?: readonly {
      readonly title?: string
      readonly link?: string
      readonly updated?: string
      readonly published?: string
      readonly enclosures?: readonly string[]
    }[]
    readonly feedLinks?: readonly (readonly [rel: string, href: string])[]
  }
}

const feedUrl = 'http://example.org/feed'
const options = parseOptions()

/** Feeds that differ from what Universal Feed Parser read, and why. */
const explained: Readonly<Record<string, string>> = {
  'feed-s0055': 'an Atom id that is a bare word is no link',
  'feed-s0072': 'the title is HTML in base64: its text is the title',
  'feed-s0096': 'an Atom id that is a bare word is no link',
}

/** Text as both sides mean it: markup and references of escaped HTML taken away. */
function plain(text: string | null | undefined): string {
  return (text ?? '')
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&apos;/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
}

const absolute = (href: string): string | undefined => (URL.canParse(href, feedUrl) ? new URL(href, feedUrl).href : undefined)
const isWeb = (href: string | undefined): href is string => href !== undefined && /^https?:/.test(href)

function checkFeed(parse: PageParse, { recorded }: FeedCase): void {
  expect(plain(parse.title), 'title').to.equal(plain(recorded.title))
  const entries = recorded.entries ?? []
  for (const { title, link, updated, published, enclosures = [] } of entries) {
    const url = absolute(link ?? '')
    if (link !== undefined && isWeb(url)) {
      const links = parse.links.filter(known => known.url === url)
      expect(links, link).not.to.have.length(0)
      if (title !== undefined) expect(links.map(({ anchor }) => plain(anchor))).to.include(plain(title))
      const timeMs = Date.parse(updated ?? published ?? '')
      if (!Number.isNaN(timeMs)) expect(links.map(known => Math.floor((known.timeMs ?? 0) / 1000) * 1000)).to.include(timeMs)
    }
    for (const enclosure of enclosures) expect(parse.links.map(known => known.url)).to.include(new URL(enclosure, url).href)
  }
  for (const [rel, href] of recorded.feedLinks ?? []) {
    if (rel !== 'hub' && isWeb(absolute(href))) expect(parse.links.map(({ url }) => url)).to.include(absolute(href))
  }
  const withLink = entries.filter(({ link }) => link !== undefined && isWeb(absolute(link)))
  if (recorded.entryCount <= 12) expect(parse.links.filter(({ element }) => element === 'entry')).to.have.length(withLink.length)
}

describeCorpus('feeds of corpus/feed', folder => {
  for (const feed of readCorpus<FeedCase>('feed/recorded.json')?.cases ?? []) {
    it(`${feed.id} ${feed.file.replace('files/', '')}${explained[feed.id] === undefined ? '' : ` (otherwise: ${explained[feed.id]})`}`, () => {
      const bytes = readFileSync(join(folder, 'feed', feed.file))
      const parse = parsePage({ url: feedUrl, contentType: feed.contentType ?? 'text/xml', bytes }, options)
      if (explained[feed.id] === undefined) checkFeed(parse, feed)
      else expect(() => checkFeed(parse, feed)).to.throw()
    })
  }

  it('have times of all forms in dates.json', () => {
    for (const { id, kind, input, expected } of readCorpus<{ id: string; kind: string; input: string; expected: string | null }>('feed/dates.json')
      ?.cases ?? []) {
      const timeMs = parseDate(input)
      const wanted = expected === null ? undefined : Date.parse(expected)
      // The suite of Universal Feed Parser states whole seconds.
      const seen = kind.startsWith('feed-') && timeMs !== undefined ? Math.floor(timeMs / 1000) * 1000 : timeMs
      expect(seen, `${id} ${input}`).to.equal(wanted)
    }
  })
})

describe('feeds', () => {
  const parseFeed = (content: string, contentType = 'application/xml'): PageParse =>
    parsePage({ url: feedUrl, contentType, bytes: Buffer.from(content) }, options)

  it('of RSS 2.0: entries with title and time, text, enclosures', () => {
    const parse = parseFeed(`<rss version="2.0"><channel><title>T</title><link>http://example.org/</link><language>de</language>
      <description>D &amp;amp; E</description>
      <image><url>i.png</url><title>no</title><link>http://no.example/</link></image>
      <item><title>A &lt;b&gt;b&lt;/b&gt;</title><link>/a</link><pubDate>Thu, 05 Jan 2017 12:34:50 GMT</pubDate>
      <description><![CDATA[<p>x</p><p>y</p>]]></description>
      <enclosure url="e.mp3"/></item><item><guid>http://example.org/g</guid></item>
      <item><guid isPermaLink="false">http://example.org/no</guid></item></channel></rss>`)
    expect(parse.title).to.equal('T')
    expect(parse.lang).to.equal('de')
    expect(parse.text).to.equal('T\nD & E\nA b\nx y')
    const timeMs = Date.UTC(2017, 0, 5, 12, 34, 50)
    expect(parse.links).to.deep.equal([
      { url: 'http://example.org/', anchor: 'T', rel: 'alternate', element: 'link' },
      { url: 'http://example.org/a', anchor: 'A b', rel: 'alternate', element: 'entry', timeMs },
      { url: 'http://example.org/e.mp3', anchor: 'A b', rel: 'enclosure', element: 'enclosure', timeMs },
      { url: 'http://example.org/g', anchor: '', rel: 'alternate', element: 'entry' },
    ])
  })

  it('of Atom, with xml:base', () => {
    const parse = parseFeed(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://base.example/d/"><title>T</title><link rel="self" href="f"/>
      <entry xml:base="e/"><title type="text">A &lt;i></title><link href="a"/><link rel="edit" href="no"/><updated>2020-01-02T03:04:05Z</updated>
      <source><title>no</title></source></entry></feed>`)
    expect(parse.links).to.deep.equal([
      { url: 'http://base.example/d/f', anchor: '', rel: 'self', element: 'link' },
      { url: 'http://base.example/d/e/a', anchor: 'A <i>', rel: 'alternate', element: 'entry', timeMs: Date.UTC(2020, 0, 2, 3, 4, 5) },
    ])
  })

  it('of JSON', () => {
    const parse = parseFeed(
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'T',
        home_page_url: 'http://example.org/',
        items: [{ url: '/a', title: 'A', content_html: '<p>x</p>', date_published: '2020-01-02T00:00:00Z', attachments: [{ url: '/m' }] }, 7, {}],
      }),
      'application/json',
    )
    expect(parse.title).to.equal('T')
    expect(parse.text).to.equal('T\nA\nx')
    expect(parse.links.map(({ url, element }) => `${element} ${url}`)).to.deep.equal([
      'link http://example.org/',
      'entry http://example.org/a',
      'enclosure http://example.org/m',
    ])
  })

  it('that are broken are read as far as they can be', () => {
    const parse = parseFeed(
      '<rss><channel><title>T<item><title>A & b</title><link>http://example.org/?a=1&b=2</link></item><item><link>http://example.org/c',
    )
    expect(parse.links.filter(({ element }) => element === 'entry').map(({ url }) => url)).to.deep.equal([
      'http://example.org/?a=1&b=2',
      'http://example.org/c',
    ])
  })

  it('may have times whose zone is hours alone, as databases print them', () => {
    for (const text of ['2024-05-06 09:08:09+02', '2024-05-06T09:08:09+02:00', '2024-05-06T05:08:09.000-02']) {
      expect(parseDate(text), text).to.equal(Date.UTC(2024, 4, 6, 7, 8, 9))
    }
  })

  it('are read behind what a server printed before them, and under a base that is none', () => {
    const warning = '<br />\n<b>Notice</b>: x in <b>/srv/feed.php</b><br />\n<?xml version="1.0"?>'
    const parse = parseFeed(`${warning}<rss xml:base="http://[bad"><channel><title>T</title><item><link>/1</link></item></channel></rss>`)
    expect(parse.title).to.equal('T')
    expect(parse.links.map(({ url }) => url)).to.deep.equal(['http://example.org/1'])
  })

  it('with a stray ampersand before a tag or the end of an attribute lose nothing', () => {
    const parse = parseFeed(
      '<rss><channel><title>AT&T</title><item><title>Q&A</title><link>http://example.org/1?x&y</link></item>' +
        '<item><title>&</title><link>http://example.org/2?a=1&amp;b=2&c=3</link><enclosure url="http://example.org/e?x&y" type="audio/mpeg"/></item>' +
        '<item><title>R&#38;D</title><link><![CDATA[http://example.org/3?a&b]]></link></item></channel></rss>',
    )
    expect(parse.title).to.equal('AT&T')
    expect(parse.links.map(({ url, anchor }) => [url, anchor])).to.deep.equal([
      ['http://example.org/1?x&y', 'Q&A'],
      ['http://example.org/2?a=1&b=2&c=3', '&'],
      ['http://example.org/e?x&y', '&'],
      ['http://example.org/3?a&b', 'R&D'],
    ])
  })

  it('expand what a DTD declares as text, and nothing else', () => {
    const dtd = '<!DOCTYPE rss [<!ENTITY a "text"><!ENTITY b SYSTEM "file:///etc/passwd"><!ENTITY c "&a;&a;&a;">]>'
    expect(parseFeed(`${dtd}<rss><channel><title>1&a;2&b;3&c;4</title></channel></rss>`).title).to.equal('1text234')
  })
})

describe('other XML', () => {
  it('OPML gives the feeds it lists', () => {
    const opml =
      '<opml version="2.0"><head><title>L</title></head><body>' +
      '<outline text="A" xmlUrl="http://a.example/f" htmlUrl="http://a.example/"/></body></opml>'
    const parse = parsePage({ url: feedUrl, contentType: 'text/x-opml', bytes: Buffer.from(opml) }, options)
    expect(parse.title).to.equal('L')
    expect(parse.links.map(({ url, anchor }) => [url, anchor])).to.deep.equal([
      ['http://a.example/f', 'A'],
      ['http://a.example/', 'A'],
    ])
  })

  it('SVG gives its links and text', () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg"><title>T</title><style>a{}</style><a xlink:href="/a"><text>x</text></a><use href="#local"/></svg>'
    const parse = parsePage({ url: feedUrl, contentType: 'image/svg+xml', bytes: Buffer.from(svg) }, options)
    expect([parse.title, parse.text]).to.deep.equal(['T', 'T\nx'])
    expect(parse.links.map(({ url, anchor }) => [url, anchor])).to.deep.equal([['http://example.org/a', 'x']])
  })

  it('XHTML is read by the rules of XML', () => {
    const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="nl"><head><title/><script src="/s"/></head>
      <body><div><a href="/a">x<br/>y</a><script>//<![CDATA[\n"<a href='/no'>"\n//]]></script></div></body></html>`
    const parse = parsePage({ url: feedUrl, contentType: 'application/xhtml+xml', bytes: Buffer.from(xhtml) }, options)
    expect([parse.lang, parse.text]).to.deep.equal(['nl', 'x\ny'])
    expect(parse.links.map(({ url, anchor }) => [url, anchor])).to.deep.equal([
      ['http://example.org/s', ''],
      ['http://example.org/a', 'x y'],
    ])
  })

  it('XHTML with stray ampersands keeps its markup', () => {
    const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>AT&T</title></head>
      <body><p>R&D & &eacute;<!-- a&b --></p><a href="?a&b">x&y</a><a href='?a&b&copy=1&amp;c'>z&</a></body></html>`
    for (const values of [{}, { 'parser.html.impl': 'sax' }]) {
      const parse = parsePage({ url: feedUrl, contentType: 'application/xhtml+xml', bytes: Buffer.from(xhtml) }, parseOptions(values))
      expect([parse.title, parse.text]).to.deep.equal(['AT&T', 'AT&T\nR&D & é\nx&yz&'])
      expect(parse.links.map(({ url, anchor }) => [url, anchor])).to.deep.equal([
        ['http://example.org/feed?a&b', 'x&y'],
        ['http://example.org/feed?a&b&copy=1&c', 'z&'],
      ])
    }
  })
})
