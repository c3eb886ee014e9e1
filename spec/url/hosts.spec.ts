import { expect } from 'chai'
import { hostOf, isIpHost, publicSuffixOf, queueIdOf, registeredDomainOf } from '../../lib/url/hosts.js'

describe('hosts of URLs', () => {
  for (const [url, host] of [
    ['http://a.example/x', 'a.example'],
    ['http://a.example:8080/x@y:1', 'a.example'],
    ['ftp://user:pass@a.example:2121/', 'a.example'],
    ['http://[::1]:80/', '[::1]'],
    ['http://[::1]/', '[::1]'],
    ['ftp://u:p@[2001:db8::1]:9/', '[2001:db8::1]'],
    ['http://a.example?x', 'a.example'],
    ['file:///etc/hosts', ''],
    ['file:/etc/hosts', ''],
    ['foo://bar', 'bar'],
  ] as const) {
    it(`${url} has host ${JSON.stringify(host)}`, () => expect(hostOf(url)).to.equal(host))
  }

  for (const [host, domain] of [
    ['www.example.co.uk', 'example.co.uk'],
    ['lucene.apache.org.', 'apache.org'],
    ['140.211.11.130', '140.211.11.130'],
    ['[::1]', '[::1]'],
    ['localhost', 'localhost'],
    ['com', 'com'],
    ['me.github.io', 'github.io'],
  ] as const) {
    it(`${host} is registered as ${domain}`, () => expect(registeredDomainOf(host)).to.equal(domain))
  }

  it('takes the queue id from the host or the domain', () => {
    expect(queueIdOf('http://a.b.example.co.uk/x', 'byHost')).to.equal('a.b.example.co.uk')
    expect(queueIdOf('http://a.b.example.co.uk/x', 'byDomain')).to.equal('example.co.uk')
  })

  it('knows addresses', () => {
    expect(['127.0.0.1', '[::1]', 'a.example', '1.2.3'].map(isIpHost)).to.deep.equal([true, true, false, false])
  })

  it('knows public suffixes', () => {
    expect(['a.b.co.uk', '10.0.0.1', 'uk'].map(host => publicSuffixOf(host))).to.deep.equal(['co.uk', undefined, 'uk'])
  })
})
