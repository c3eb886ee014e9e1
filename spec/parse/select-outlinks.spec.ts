import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import type { PageParse } from '../../lib/parse/page.js'
import { type OutlinkRules, type SelectedOutlinks, selectOutlinks } from '../../lib/parse/select-outlinks.js'
import { toParse } from '../../lib/parse/to-parse.js'
import { storedUrl } from '../../lib/record/url.js'
import { tryNormalizeUrl } from '../../lib/url/normalize-url.js'
import { parseHtml } from './parse-support.js'

const pageUrl = storedUrl('http://www.example.com/dir/page.html')

function select(parse: PageParse, values: Readonly<Record<string, unknown>> = {}, rules: Partial<OutlinkRules> = {}): SelectedOutlinks {
  const normalize = (url: string) => tryNormalizeUrl(url)
  return selectOutlinks(parse, pageUrl, { link: configWith(values).link, normalize, accepts: () => true, ...rules })
}

const urlsOf = ({ outlinks }: SelectedOutlinks): string[] => outlinks.map(({ url }) => url)
const links = (...hrefs: readonly string[]): PageParse => parseHtml(hrefs.map(href => `<a href="${href}">x</a>`).join(''))

describe('outlinks that are followed', () => {
  it('are normalized, in order, with their duplicates', () => {
    const selected = select(links('b', '/A#f', 'b', 'HTTP://Other.example/'))
    expect(urlsOf(selected)).to.deep.equal([
      'http://www.example.com/dir/b',
      'http://www.example.com/A',
      'http://www.example.com/dir/b',
      'http://other.example/',
    ])
    expect(selected.outlinks[0]).to.deep.equal({ url: 'http://www.example.com/dir/b', anchor: 'x', rel: '', element: 'a' })
    expect([selected.extractedCount, selected.dropped]).to.deep.equal([4, {}])
  })

  it('lead to another page', () => {
    const selected = select(links('page.html', '#here', '', 'page.html?'))
    expect(urlsOf(selected)).to.deep.equal(['http://www.example.com/dir/page.html?'])
    expect(selected.dropped).to.deep.equal({ self: 3 })
  })

  it('are not marked nofollow, one by one or as a whole', () => {
    const marked = select(parseHtml('<a rel="external nofollow" href=a>1</a><a rel=nofollowed href=b>2</a>'))
    expect(urlsOf(marked)).to.deep.equal(['http://www.example.com/dir/b'])
    expect([marked.extractedCount, marked.dropped]).to.deep.equal([1, { nofollow: 1 }])
    const whole = select(parseHtml('<meta name=robots content=nofollow><a href=a>1</a><a href=b>2</a>'))
    expect([urlsOf(whole), whole.extractedCount, whole.dropped]).to.deep.equal([[], 0, { nofollow: 2 }])
  })

  it('are not marked nofollow in a list with commas', () => {
    const { outlinks, dropped } = select(
      parseHtml('<a rel="nofollow,noopener" href=a>1</a><a rel="ugc, NoFollow" href=b>2</a><a rel="a,b" href=c>3</a>'),
    )
    expect([outlinks.map(({ rel }) => rel), dropped]).to.deep.equal([['a b'], { nofollow: 2 }])
  })

  it('are marked ugc or sponsored, unless these count as nofollow by option', () => {
    const page = parseHtml(
      '<a rel="UGC" href=a>1</a><a rel="noopener sponsored" href=b>2</a><a rel="nofollow ugc" href=c>3</a><a rel=ugcx href=d>4</a>',
    )
    const pathsOf = (values?: Readonly<Record<string, unknown>>) => urlsOf(select(page, values)).map(url => url.slice(-1))
    expect(pathsOf()).to.deep.equal(['a', 'b', 'd'])
    expect(pathsOf({ 'millrace.link.nofollow.rels': 'ugc' })).to.deep.equal(['b', 'd'])
    expect(pathsOf({ 'millrace.link.nofollow.rels': 'ugc,sponsored' })).to.deep.equal(['d'])
  })

  it('are the first so many that survive', () => {
    const rules = { accepts: (url: string) => !url.includes('bad') }
    const selected = select(links('a', 'bad1', 'b', 'bad2', 'c'), { 'db.max.outlinks.per.page': 2 }, rules)
    expect(urlsOf(selected)).to.deep.equal(['http://www.example.com/dir/a', 'http://www.example.com/dir/b'])
    expect([selected.extractedCount, selected.dropped]).to.deep.equal([5, { rejected: 1, over_limit: 2 }])
    expect(select(links('a', 'b'), { 'db.max.outlinks.per.page': 0 }).outlinks).to.deep.equal([])
    expect(select(links(...'abcdefghij'), { 'db.max.outlinks.per.page': -1 }).outlinks).to.have.length(10)
  })

  it('are no longer than allowed, as they are written', () => {
    const long = `/${'x'.repeat(100)}`
    expect(select(links(long, 'a'), { 'db.max.outlink.length': 60 }).dropped).to.deep.equal({ too_long: 1 })
    expect(select(links(long), { 'db.max.outlink.length': -1 }).outlinks).to.have.length(1)
  })

  const external = 'db.ignore.external.links'
  const internal = 'db.ignore.internal.links'
  const mode = { 'db.ignore.external.links.mode': 'byDomain' }
  const targets = ['http://www.example.com/a', 'http://sub.example.com/b', 'http://example.org/c']
  for (const { values, kept } of [
    { values: { [external]: true }, kept: [0] },
    { values: { [internal]: true }, kept: [1, 2] },
    { values: { [external]: true, ...mode }, kept: [0, 1] },
    { values: { [internal]: true, ...mode }, kept: [2] },
    { values: { [external]: true, [internal]: true }, kept: [] },
  ]) {
    it(`with ${JSON.stringify(values)} are ${kept.length} of 3`, () => {
      expect(urlsOf(select(links(...targets), values))).to.deep.equal(kept.map(index => targets[index]))
    })
  }

  it('may be external by exemption', () => {
    const rules = { isExempt: (_: string, to: string) => to.endsWith('/c') }
    expect(urlsOf(select(links(...targets), { [external]: true }, rules))).to.deep.equal([targets[0], targets[2]])
  })

  it('are URLs', () => {
    expect(select(links('a', 'b'), {}, { normalize: raw => (raw.endsWith('a') ? undefined : storedUrl(raw)) }).dropped).to.deep.equal({
      malformed: 1,
    })
  })
})

describe('the record of a parsed page', () => {
  const signature = Uint8Array.of(1, 2)

  it('holds what indexing and updates need', () => {
    const page = parseHtml('<html lang=de><title>T</title><link rel=canonical href=/c><meta name=description content=D>text')
    const { outlinks } = select(page)
    expect(toParse(page, pageUrl, outlinks, signature)).to.deep.equal({
      url: pageUrl,
      status: 'success',
      title: 'T',
      text: 'T\ntext',
      outlinks,
      robots: { noindex: false, nofollow: false, noarchive: false },
      signature,
      metadata: {
        'Content-Type': 'text/html',
        CharEncodingForConversion: 'utf-8',
        'charset.source': 'header',
        language: 'de',
        canonical: 'http://www.example.com/c',
        'metatag.description': 'D',
      },
    })
  })

  it('of a page that is not to be indexed holds its links only', () => {
    const page = parseHtml('<title>T</title><meta name=robots content="noindex,noarchive">text<a href=x>y</a>')
    const record = toParse(page, pageUrl, select(page).outlinks, signature)
    expect([record.title, record.text, record.outlinks.length]).to.deep.equal(['', '', 1])
    expect(record.metadata['caching.forbidden']).to.equal('all')
  })
})
