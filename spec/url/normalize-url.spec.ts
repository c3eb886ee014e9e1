import { expect } from 'chai'
import fc from 'fast-check'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { canonicalByParser, canonicalUrl, normalizeUrl, tryNormalizeUrl } from '../../lib/url/normalize-url.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { pageUrls, roughUrls } from './url-arbitraries.js'

describe('normalizeUrl', () => {
  for (const { raw, normalized, why } of [
    { raw: 'HTTP://Example.ORG:80/a/../b', normalized: 'http://example.org/b', why: 'case, default port, dot segments' },
    { raw: ' http://a.example ', normalized: 'http://a.example/', why: 'spaces around it, empty path' },
    { raw: 'http://a.example/a/%2e%2E/%2e/b', normalized: 'http://a.example/b', why: 'dot segments in escapes' },
    { raw: 'http://a.example/a//b///c', normalized: 'http://a.example/a/b/c', why: 'runs of slashes' },
    { raw: 'http://a.example?q', normalized: 'http://a.example/?q', why: 'query without a path' },
    { raw: 'http://a.example/?', normalized: 'http://a.example/?', why: 'an empty query is kept' },
    { raw: "http://a.example/?a='b'//c/../d", normalized: "http://a.example/?a='b'//c/../d", why: 'slashes, dots and quotes in a query stay' },
    { raw: 'http://a.example/p#top', normalized: 'http://a.example/p', why: 'fragment' },
    { raw: 'https://me:pw@a.example/', normalized: 'https://a.example/', why: 'userinfo' },
    { raw: 'ftp://me:pw@a.example/', normalized: 'ftp://me:pw@a.example/', why: 'userinfo of ftp is part of the name' },
    { raw: 'http://a.example./', normalized: 'http://a.example./', why: 'the dot of the root' },
    { raw: 'http://bücher.example/', normalized: 'http://xn--bcher-kva.example/', why: 'IDN' },
    { raw: 'http://[2001:DB8:0:0::1]:80/', normalized: 'http://[2001:db8::1]/', why: 'IPv6' },
    { raw: 'http://0x7f.1/', normalized: 'http://127.0.0.1/', why: 'one address, one host' },
    { raw: 'http:\\\\a.example\\b\\c', normalized: 'http://a.example/b/c', why: 'backslashes' },
    { raw: 'http:a.example/b', normalized: 'http://a.example/b', why: 'slashes left out' },
    { raw: 'http://a.\texample/b\n/c', normalized: 'http://a.example/b/c', why: 'tabs and line ends' },
    { raw: 'http://a.example/ü?ü', normalized: 'http://a.example/%C3%BC?%C3%BC', why: 'beyond ASCII' },
    { raw: 'http://a.example/\ud800', normalized: 'http://a.example/%EF%BF%BD', why: 'half a surrogate pair' },
    { raw: 'http://a.example/ẞ', normalized: 'http://a.example/%E1%BA%9E', why: 'a letter that only hosts map' },
    { raw: 'http://xn--0.example/', normalized: 'http://xn--0.example/', why: 'a label that does not decode' },
    { raw: 'foo://A.example/b', normalized: 'foo://A.example/b', why: 'another scheme with a host' },
    { raw: 'file:///a/./b', normalized: 'file:/a/b', why: 'file, changed' },
    { raw: 'file:///a/b', normalized: 'file:///a/b', why: 'file, as it was' },
  ]) {
    it(`of ${JSON.stringify(raw)} (${why})`, () => expect(normalizeUrl(raw)).to.equal(normalized))
  }

  for (const raw of [
    '',
    'x',
    '/a',
    'http:',
    'http://',
    'http://a b/',
    'mailto:a@b.example',
    'javascript:void(0)',
    'data:,x',
    'http://a.example:99999/',
    'http://256.1.1.1/',
  ]) {
    it(`refuses ${JSON.stringify(raw)}`, () => {
      expect(tryNormalizeUrl(raw)).to.equal(undefined)
      expect(() => normalizeUrl(raw))
        .to.throw(CrawlError)
        .with.property('code', 'URL_INVALID')
    })
  }

  it('takes a URL of a million characters in its stride', () => {
    const long = `http://a.example/${'a/../é%/'.repeat(150_000)}`
    const startMs = performance.now()
    expect(normalizeUrl(long)).to.have.lengthOf.above(100)
    expect(performance.now() - startMs).to.be.below(2000)
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(
        fc.oneof(pageUrls, roughUrls),
        fc.constantFrom('whatwg' as const, '' as const, 'toAscii' as const, 'toUnicode' as const),
        (raw, idn) => {
          const once = tryNormalizeUrl(raw, { idn })
          if (once !== undefined) expect(tryNormalizeUrl(once, { idn })).to.equal(once)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('is the same on the fast path and through the parser', () => {
    fc.assert(
      fc.property(fc.oneof(pageUrls, roughUrls), raw => {
        expect(canonicalUrl(raw)).to.deep.equal(canonicalByParser(raw, {}))
      }),
      { numRuns: 2000 },
    )
  })
})

describeCorpus('URLs of corpus/normalize', () => {
  for (const table of ['urltestdata', 'nutch-basic-recorded', 'basic', 'crawler-commons-basic', 'regex-default', 'idn']) {
    it(`${table}: normalizing twice changes nothing, and the fast path changes nothing`, () => {
      for (const { input } of readCorpus<{ input?: string }>(`normalize/${table}.json`)?.cases ?? []) {
        if (input === undefined) continue
        expect(canonicalUrl(input)).to.deep.equal(canonicalByParser(input, {}))
        for (const idn of ['whatwg', '', 'toAscii', 'toUnicode'] as const) {
          const once = tryNormalizeUrl(input, { idn })
          if (once !== undefined) expect(tryNormalizeUrl(once, { idn }), `${input} with ${idn}`).to.equal(once)
        }
      }
    })
  }
})
