import { expect } from 'chai'
import fc from 'fast-check'
import { toSurt } from '../../lib/warc/surt.js'

const session = '0123456789abcdef0123456789abcdef'

// keys as the surt package of the Internet Archive (which pywb asks) gives them
const cases: readonly [url: string, key: string][] = [
  ['http://example.com', 'com,example)/'],
  ['http://www.Example.com:80/A/B/?b=2&a=1&a', 'com,example)/a/b?a&a=1&b=2'],
  ['https://www2.example.com:8443/x//y/../z/', 'com,example:8443)/x/z'],
  ['http://user:pw@example.com/a%20b%2fc?q=%41+b#frag', 'com,example)/a%20b/c?q=a+b'],
  ['http://127.0.0.1:8080/p', '1,0,0,127:8080)/p'],
  ['http://example.com/?', 'com,example)/'],
  ['http://example.com/?a', 'com,example)/?a'],
  [`http://example.com/a?jsessionid=${session}&x=1`, 'com,example)/a?x=1'],
  [`http://example.com/a?x=1&PHPSESSID=${session}`, 'com,example)/a?&x=1'],
  ['http://example.com/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx', 'com,example)/mileg.aspx'],
  ['http://example.com/(4hqa0555fwsecu455xqckv45)/mileg.aspx?x', 'com,example)/mileg.aspx?x'],
  ['http://example.com/a?cfid=12&cftoken=33&z=1', 'com,example)/a?z=1'],
  ['http://ex.com/%C3%A9?%E9=1', 'com,ex)/%c3%a9?%e9=1'],
  ['http://ex.com/é', 'com,ex)/%c3%a9'],
  ['http://bücher.de/', 'de,xn--bcher-kva)/'],
  ['http://example.com/a/./b/../../../c', 'com,example)/../c'],
  ['http://example.com/path/?x=&x&y=1=2', 'com,example)/path?x&x=&y=1=2'],
  ['http://[::1]/a', '::1)/a'],
  ['ftp://ftp.example.com/pub/', 'com,example,ftp)/pub'],
  ['http://example.com/a%25%20b', 'com,example)/a%25%20b'],
  ['urn:uuid:1', 'urn:uuid:1'],
]

describe('toSurt', () => {
  for (const [url, key] of cases)
    it(`gives ${key} for ${url}`, () => {
      expect(toSurt(url)).to.equal(key)
    })

  it('gives printable ASCII without a space for any URL', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string({ unit: 'binary' }), (url, tail) => {
        expect(toSurt(url + tail)).to.match(/^[!-~]+$/)
      }),
    )
  })

  it('takes linear time for a long query of almost session ids', () => {
    const start = performance.now()
    toSurt(`http://example.com/?${'cfid=1&sid=0123'.repeat(60_000)}`)
    expect(performance.now() - start).to.be.below(2000)
  })
})
