import { expect } from 'chai'
import { parsePage } from '../../lib/parse/parse-page.js'
import { linkList, parseHtml, parseOptions } from './parse-support.js'

const megabytes = 1

/** Pages meant to hurt, of about `megabytes`. */
const hostilePages: Readonly<Record<string, () => string>> = {
  'nested div': () => '<div>'.repeat((megabytes * 1_000_000) / 5),
  'nested svg': () => '<svg>'.repeat((megabytes * 1_000_000) / 5),
  'nested template': () => '<template>'.repeat((megabytes * 1_000_000) / 10),
  'one attribute': () => `<a href="${'x'.repeat(megabytes * 1_000_000)}">y</a>`,
  'one attribute without an end': () => `<a href="${'x'.repeat(megabytes * 1_000_000)}`,
  'one attribute name': () => `<a ${'x'.repeat(megabytes * 1_000_000)}=1>y</a>`,
  'one tag name': () => `<${'x'.repeat(megabytes * 1_000_000)}>y`,
  'many attributes': () => `<a ${'x=1 '.repeat((megabytes * 1_000_000) / 4)}>y</a>`,
  'one comment': () => `<!--${'x'.repeat(megabytes * 1_000_000)}`,
  'one declaration': () => `<!${'x'.repeat(megabytes * 1_000_000)}`,
  'one title': () => `<title>${'x '.repeat((megabytes * 1_000_000) / 2)}`,
  'one script': () => `<script>${'</scrip'.repeat((megabytes * 1_000_000) / 7)}`,
  'one word': () => 'x'.repeat(megabytes * 1_000_000),
  'open anchors': () => '<a href=x>'.repeat((megabytes * 1_000_000) / 10),
  'half references': () => '&am'.repeat((megabytes * 1_000_000) / 3),
  'open angles': () => '<'.repeat(megabytes * 1_000_000),
  srcset: () => `<img srcset="${'a ,'.repeat(20_000)}">`.repeat(megabytes * 16),
  'srcset in parentheses': () => `<img srcset="${'a ('.repeat(20_000)}">`.repeat(megabytes * 16),
  'end tags': () => '</a>'.repeat((megabytes * 1_000_000) / 4),
  CDATA: () => '<![CDATA[>'.repeat((megabytes * 1_000_000) / 10),
}

describe('limits of the parser', () => {
  for (const [name, make] of Object.entries(hostilePages)) {
    it(`a page of ${name} ends soon and takes no more than its own size in memory`, () => {
      const bytes = Buffer.from(make())
      for (const impl of ['htmlparser2', 'sax']) {
        global.gc?.()
        const beforeBytes = process.memoryUsage().heapUsed
        const startMs = performance.now()
        const parse = parsePage(
          { url: 'http://example.com/', contentType: 'text/html; charset=utf-8', bytes },
          parseOptions({ 'parser.html.impl': impl }),
        )
        expect(performance.now() - startMs, impl).to.be.below(12_000)
        global.gc?.()
        expect(process.memoryUsage().heapUsed - beforeBytes, impl).to.be.below(megabytes * 40_000_000)
        expect(parse.links.length).to.be.at.most(100_000)
      }
    })
  }

  it('the time is one: what takes longer fails', () => {
    const bytes = Buffer.from('<a href=x>y</a>'.repeat(200_000))
    const parse = parseHtml('', { 'parser.timeout': 0.001 }, { bytes })
    expect(parse).to.include({ status: 'failed', cause: 'timeout: longer than 1 ms' })
    expect(parseHtml('', { 'parser.timeout': -1 }, { bytes }).status).to.equal('success')
  })

  it('the number of links is one: those over it are counted', () => {
    const parse = parseHtml('<a href=a>1<a href=b>2<a href=c>3', { 'millrace.parse.max.links': 2 })
    expect(linkList(parse)).to.deep.equal(['a /dir/a', 'a /dir/b'])
    expect(parse.linkCounts).to.deep.equal({ over_limit: 1 })
  })

  it('the lengths of text, anchors and attributes are some', () => {
    const values = { 'millrace.parse.max.text': 20, 'millrace.parse.max.anchor': 4, 'millrace.parse.max.attribute': 64 }
    const parse = parseHtml(`<a href=/x>anchor text</a> and more words <a href=/${'y'.repeat(64)}>z</a>`, values)
    expect(parse.text).to.equal('anchor text and more')
    expect(parse.links.map(({ url, anchor }) => [url, anchor])).to.deep.equal([['http://www.example.com/x', 'anch']])
  })

  it('XML is not followed deeper than allowed', () => {
    const xml = `<r>${'<d>'.repeat(600)}<loc>http://example.com/deep</loc>`
    const parse = parsePage({ url: 'http://example.com/', contentType: 'application/xml', bytes: Buffer.from(xml) }, parseOptions())
    expect(parse).to.include({ status: 'success', cause: 'depth' })
    expect(parse.links).to.deep.equal([])
  })

  it('a page that was cut off is parsed only if told so', () => {
    const page = { isTruncated: true }
    expect(parseHtml('<a href=x>', {}, page)).to.include({ status: 'notparsed', cause: 'truncated: the fetch stopped before the end' })
    expect(parseHtml('<a href=x>', { 'parser.skip.truncated': false }, page).links).to.have.length(1)
  })
})
