import { expect } from 'chai'
import { parseRefresh } from '../../lib/parse/html/refresh.js'
import { srcsetUrls } from '../../lib/parse/html/srcset.js'
import { parseDirectives, parseRobotsHeaders } from '../../lib/parse/robots-directives.js'
import { parseHtml } from './parse-support.js'

const none = { noindex: false, nofollow: false, noarchive: false }

describe('robots directives', () => {
  const contents: readonly { readonly content: string; readonly directives: object }[] = [
    { content: 'noindex', directives: { ...none, noindex: true } },
    { content: 'NoIndex, NOFOLLOW', directives: { ...none, noindex: true, nofollow: true } },
    { content: 'none', directives: { ...none, noindex: true, nofollow: true } },
    { content: 'all', directives: none },
    { content: 'index;nofollow', directives: { ...none, nofollow: true } },
    { content: 'noarchive', directives: { ...none, noarchive: true } },
    { content: 'noindexing', directives: none },
    { content: 'unavailable_after: 25 Jun 2010 15:00:00 GMT', directives: { ...none, unavailableAfterMs: Date.UTC(2010, 5, 25, 15) } },
    {
      content: 'unavailable_after: 2010-06-25T15:00:00Z, noindex',
      directives: { ...none, noindex: true, unavailableAfterMs: Date.UTC(2010, 5, 25, 15) },
    },
    { content: 'unavailable_after: never', directives: none },
  ]
  for (const { content, directives } of contents) it(`${content}`, () => expect(parseDirectives(content)).to.deep.equal(directives))

  const headers: readonly { readonly values: readonly string[]; readonly directives: object }[] = [
    { values: ['noindex'], directives: { ...none, noindex: true } },
    { values: ['noindex', 'nofollow'], directives: { ...none, noindex: true, nofollow: true } },
    { values: ['otherbot: noindex, nofollow'], directives: none },
    { values: ['TestBot: noindex, nofollow'], directives: { ...none, noindex: true, nofollow: true } },
    { values: ['otherbot: noindex, testbot: nofollow'], directives: { ...none, nofollow: true } },
    { values: ['noarchive, otherbot: noindex'], directives: { ...none, noarchive: true } },
    { values: ['unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT'], directives: { ...none, unavailableAfterMs: Date.UTC(2010, 5, 25, 15) } },
    { values: ['max-snippet: 10, noindex'], directives: { ...none, noindex: true } },
  ]
  for (const { values, directives } of headers) {
    it(`X-Robots-Tag ${values.join(' + ')}`, () => expect(parseRobotsHeaders(values, ['testbot'])).to.deep.equal(directives))
  }

  it('of several meta elements all count, and those for another agent do not', () => {
    const html = '<meta name=robots content=noindex><meta name=ROBOTS content=noarchive><meta name=googlebot content=nofollow>'
    expect(parseHtml(html).robots).to.deep.equal({ noindex: true, nofollow: false, noarchive: true })
  })
})

describe('refresh', () => {
  const cases: readonly { readonly content: string; readonly refresh: object | undefined }[] = [
    { content: '5', refresh: { delayMs: 5000, url: '' } },
    { content: '0;url=/a', refresh: { delayMs: 0, url: '/a' } },
    { content: ' 3 ; URL = "/b c" x', refresh: { delayMs: 3000, url: '/b c' } },
    { content: "1,url='/c'", refresh: { delayMs: 1000, url: '/c' } },
    { content: '2 /d', refresh: { delayMs: 2000, url: '/d' } },
    { content: '1.9; url=/e', refresh: { delayMs: 1000, url: '/e' } },
    { content: '.5; url=/f', refresh: { delayMs: 0, url: '/f' } },
    { content: '4; url=', refresh: { delayMs: 4000, url: '' } },
    { content: '4; urls', refresh: { delayMs: 4000, url: 'urls' } },
    { content: '0; url="/g', refresh: { delayMs: 0, url: '/g' } },
    { content: '5x', refresh: undefined },
    { content: 'url=/h', refresh: undefined },
    { content: '', refresh: undefined },
    { content: '-1; url=/i', refresh: undefined },
  ]
  for (const { content, refresh } of cases) it(JSON.stringify(content), () => expect(parseRefresh(content)).to.deep.equal(refresh))

  it('leads nowhere by javascript', () => {
    expect(parseHtml('<meta http-equiv=refresh content="0;url=javascript:x()">').refresh).to.equal(undefined)
  })
})

describe('srcset', () => {
  const cases: readonly { readonly value: string; readonly urls: readonly string[] }[] = [
    { value: 'a 1x, b 2x', urls: ['a', 'b'] },
    { value: 'a,b', urls: ['a,b'] },
    { value: 'a, b', urls: ['a', 'b'] },
    { value: ' , a 100w , b', urls: ['a', 'b'] },
    { value: 'data:,a 1x, b', urls: ['data:,a', 'b'] },
    { value: 'a (1x, b), c', urls: ['a', 'c'] },
    { value: 'a,, b', urls: ['a', 'b'] },
    { value: '', urls: [] },
  ]
  for (const { value, urls } of cases) it(JSON.stringify(value), () => expect(srcsetUrls(value)).to.deep.equal(urls))
})
