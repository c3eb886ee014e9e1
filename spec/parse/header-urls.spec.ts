import { expect } from 'chai'
import { parseHtml } from './parse-support.js'

describe('URLs in response headers', () => {
  const received = (text: string): string => Buffer.from(text).toString('latin1')

  for (const { text, path, why } of [
    { text: '/ü?ö', path: '/%C3%BC?%C3%B6', why: 'bytes of UTF-8 are read as such' },
    { text: '/石', path: '/%E7%9F%B3', why: 'of three bytes too' },
    { text: '/%C3%BC', path: '/%C3%BC', why: 'what is escaped stays so' },
  ])
    it(`${text} of Refresh, canonical and alternates: ${why}`, () => {
      const headers: [string, string][] = [
        ['Refresh', received(`0; url=${text}`)],
        ['Link', received(`<${text}>; rel="canonical", <${text}>; rel="alternate"; hreflang="de"`)],
      ]
      const url = `http://www.example.com${path}`
      const { refresh, canonical, alternates } = parseHtml('<p>x', {}, { headers })
      expect({ refresh, canonical, alternates }).to.deep.equal({
        refresh: { delayMs: 0, url },
        canonical: url,
        alternates: [{ hreflang: 'de', url }],
      })
    })

  it('that are no UTF-8 keep their bytes', () => {
    expect(parseHtml('<p>x', {}, { headers: [['Refresh', '0; url=/\xe9']] }).refresh?.url).to.equal('http://www.example.com/%E9')
  })

  it('of a meta element are text, and not read a second time', () => {
    const html = '<meta http-equiv=refresh content="0; url=/Ã¼"><link rel=canonical href="/Ã¼">'
    expect(parseHtml(html)).to.deep.include({
      refresh: { delayMs: 0, url: 'http://www.example.com/%C3%83%C2%BC' },
      canonical: 'http://www.example.com/%C3%83%C2%BC',
    })
  })
})
