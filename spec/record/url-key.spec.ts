import { expect } from 'chai'
import fc from 'fast-check'
import { storedUrl } from '../../lib/record/url.js'
import { domainRange, hostRange, keyOfUrl, urlOfKey } from '../../lib/record/url-key.js'
import { hostOf, registeredDomainOf } from '../../lib/url/hosts.js'
import { tryNormalizeUrl } from '../../lib/url/normalize-url.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'

describe('CrawlDb keys', () => {
  for (const { url, key, why } of [
    { url: 'http://www.example.com/a?b=c', key: 'com\u0002example\u0002www\u0001http/a?b=c', why: 'labels reversed' },
    { url: 'https://example.com:8443/', key: 'com\u0002example\u0001https:8443/', why: 'port behind the scheme' },
    { url: 'ftp://user:pw@example.com/x', key: 'com\u0002example\u0001ftp@user:pw/x', why: 'userinfo behind the port' },
    { url: 'http://127.0.0.1:8099/', key: '127.0.0.1\u0001http:8099/', why: 'IPv4 is not reversed' },
    { url: 'http://[::1]:81/a@b', key: '[::1]\u0001http:81/a@b', why: 'IPv6 in brackets, @ in the path' },
    { url: 'file:/etc/hosts', key: '\u0001file!/etc/hosts', why: 'no authority' },
    { url: 'file:///etc/hosts', key: '\u0001file/etc/hosts', why: 'empty host' },
    { url: 'http://münchen.example/', key: 'example\u0002m\u0004C3\u0004BCnchen\u0001http/', why: 'host in Unicode form' },
  ]) {
    it(`of ${url} (${why})`, () => {
      expect(keyOfUrl(storedUrl(url))).to.equal(key)
      expect(urlOfKey(key)).to.equal(url)
    })
  }

  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?$/)
  const urls = fc
    .record({
      scheme: fc.constantFrom('http', 'https', 'ftp'),
      user: fc.constantFrom('', 'u@', 'u:p@'),
      host: fc.oneof(
        fc.array(label, { minLength: 1, maxLength: 4 }).map(labels => [...labels, 'com'].join('.')),
        fc.ipV4(),
        fc.ipV6().map(ip => `[${ip}]`),
      ),
      port: fc.constantFrom('', ':8080', ':1'),
      path: fc.webPath(),
      query: fc.option(fc.webQueryParameters(), { nil: '' }),
    })
    .map(({ scheme, user, host, port, path, query }) => tryNormalizeUrl(`${scheme}://${user}${host}${port}${path || '/'}${query && `?${query}`}`))
    .filter(url => url !== undefined)

  it('is a bijection', () => {
    fc.assert(fc.property(urls, url => expect(urlOfKey(keyOfUrl(url))).to.equal(url) !== undefined))
  })

  it('makes each host and each registered domain one contiguous range', () => {
    fc.assert(
      fc.property(fc.array(urls, { minLength: 2, maxLength: 30 }), list => {
        const chosen = list[0] as (typeof list)[number]
        const host = hostOf(chosen)
        const domain = registeredDomainOf(host)
        for (const url of list) {
          const key = keyOfUrl(url)
          expect(isWithin(key, hostRange(host)), `${url} in host ${host}`).to.equal(hostOf(url) === host)
          expect(isWithin(key, domainRange(domain)), `${url} in domain ${domain}`).to.equal(registeredDomainOf(hostOf(url)) === domain)
        }
      }),
    )
  })

  describeCorpus('of the URLs of corpus/normalize', () => {
    for (const table of ['urltestdata.json', 'nutch-basic-recorded.json', 'basic.json', 'idn.json']) {
      it(`${table}: URL → key → URL`, () => {
        let count = 0
        for (const { input } of readCorpus<{ input?: string }>(`normalize/${table}`)?.cases ?? []) {
          const url = input === undefined ? undefined : tryNormalizeUrl(input)
          if (url === undefined) continue
          count++
          expect(urlOfKey(keyOfUrl(url))).to.equal(url)
        }
        expect(count).to.be.greaterThan(10)
      })
    }
  })
})

function isWithin(key: string, range: { readonly gte: string; readonly lt: string }): boolean {
  return key >= range.gte && key < range.lt
}
