import { expect } from 'chai'
import { CookieJar } from '../../lib/fetch/cookie-jar.js'
import { basicCredentials } from '../../lib/fetch/credentials.js'

describe('credentials for hosts', () => {
  const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`
  const entries = ['a.example=any:port', 'b.example=u:b', 'b.example:8080=u:b8080', 'c.example:80=u:c']
  const authorize = basicCredentials(entries)
  for (const { url, from = new URL(url).origin, pair, why } of [
    { url: 'http://a.example/x', pair: 'any:port', why: 'its host' },
    { url: 'http://a.example:8080/x', pair: 'any:port', why: 'any port of it' },
    { url: 'https://b.example:8080/', pair: 'u:b8080', why: 'the port that is named' },
    { url: 'http://sub.a.example/', why: 'no other host' },
    { url: 'http://a.example:8080/', from: 'http://a.example', why: 'no other port by a redirect' },
    { url: 'http://a.example/', from: 'https://a.example', why: 'not in the clear by a redirect' },
    { url: 'https://a.example/', from: 'http://a.example', pair: 'any:port', why: 'https by a redirect' },
    { url: 'https://a.example/', from: 'https://evil.example', pair: 'any:port', why: 'the own of another host by https' },
    { url: 'http://a.example:1/', from: 'https://evil.example', why: 'no port of another host by a redirect' },
    { url: 'http://b.example:8080/', from: 'http://a.example', pair: 'u:b8080', why: 'a port that is named, by a redirect' },
    { url: 'http://c.example/', from: 'http://a.example', pair: 'u:c', why: 'the default port where it is named' },
    { url: 'https://c.example/', why: 'not the other scheme where a port is named' },
  ] as readonly { url: string; from?: string; pair?: string; why: string }[])
    it(`are sent to ${why}`, () => expect(authorize(new URL(url), from)).to.equal(pair === undefined ? undefined : basic(pair)))

  it('are refused where they are none, and not repeated', () => {
    for (const entry of ['secret', 'h=secret', '=u:secret'])
      expect(() => basicCredentials(['a=b:c', entry]), entry)
        .to.throw(/entry 2 (?!.*secret)/)
        .with.property('code', 'CONFIG_INVALID')
  })
})

describe('cookies', () => {
  const nowMs = 1_000_000
  const jarWith = (url: string, ...cookies: readonly string[]): CookieJar => {
    const jar = new CookieJar()
    jar.take(new URL(url), cookies, nowMs)
    return jar
  }
  for (const { why, set, from, to, sent } of [
    { why: 'back to their host', set: 'a=1', from: 'http://h.example/x/y', to: 'http://h.example/x/z', sent: 'a=1' },
    { why: 'not above their path', set: 'a=1', from: 'http://h.example/x/y', to: 'http://h.example/z', sent: undefined },
    { why: 'not to a path that only begins alike', set: 'a=1; Path=/x', from: 'http://h.example/x', to: 'http://h.example/xyz', sent: undefined },
    { why: 'not to another host', set: 'a=1; Path=/', from: 'http://h.example/', to: 'http://o.example/', sent: undefined },
    { why: 'not to a subdomain', set: 'a=1; Path=/', from: 'http://h.example/', to: 'http://w.h.example/', sent: undefined },
    { why: 'within their domain', set: 'a=1; Domain=h.example; Path=/', from: 'http://w.h.example/', to: 'http://v.h.example/', sent: 'a=1' },
    { why: 'not for a public suffix', set: 'a=1; Domain=co.uk; Path=/', from: 'http://h.co.uk/', to: 'http://o.co.uk/', sent: undefined },
    {
      why: 'not for one of the private section',
      set: 'a=1; Domain=github.io',
      from: 'https://h.github.io/',
      to: 'https://o.github.io/',
      sent: undefined,
    },
    { why: 'not for one with the dot of the root', set: 'a=1; Domain=co.uk.', from: 'http://h.co.uk./', to: 'http://o.co.uk./', sent: undefined },
    {
      why: 'not from a public suffix to hosts below',
      set: 'a=1; Domain=github.io',
      from: 'https://github.io/',
      to: 'https://o.github.io/',
      sent: undefined,
    },
    {
      why: 'back to a public suffix that is a host',
      set: 'a=1; Domain=github.io',
      from: 'https://github.io/',
      to: 'https://github.io/',
      sent: 'a=1',
    },
    {
      why: 'within a domain below a public suffix',
      set: 'a=1; Domain=h.github.io',
      from: 'https://h.github.io/',
      to: 'https://w.h.github.io/',
      sent: 'a=1',
    },
    { why: 'not for a foreign domain', set: 'a=1; Domain=o.example; Path=/', from: 'http://h.example/', to: 'http://o.example/', sent: undefined },
    { why: 'only over TLS if they say so', set: 'a=1; Secure; Path=/', from: 'https://h.example/', to: 'http://h.example/', sent: undefined },
    { why: 'to no other port', set: 'a=1; Path=/', from: 'http://h.example/', to: 'http://h.example:8080/', sent: undefined },
    { why: 'not in the clear if they came over TLS', set: 'a=1; Path=/', from: 'https://h.example/', to: 'http://h.example/', sent: undefined },
    { why: 'over TLS if they came in the clear', set: 'a=1; Path=/', from: 'http://h.example/', to: 'https://h.example/', sent: 'a=1' },
    { why: 'not after their end', set: 'a=1; Max-Age=0; Path=/', from: 'http://h.example/', to: 'http://h.example/', sent: undefined },
    { why: 'not with what would end the header', set: 'a=1\r\nX: 1', from: 'http://h.example/', to: 'http://h.example/', sent: undefined },
    { why: 'not when they are of 100 kB', set: `a=${'x'.repeat(100_000)}`, from: 'http://h.example/', to: 'http://h.example/', sent: undefined },
  ])
    it(`go ${why}`, () => expect(jarWith(from, set).headerFor(new URL(to), nowMs)).to.equal(sent))

  it('are bounded in number', () => {
    const jar = new CookieJar()
    for (let index = 0; index < 500; index++) jar.take(new URL('http://h.example/'), [`c${index}=1`], nowMs)
    expect(jar.headerFor(new URL('http://h.example/'), nowMs)?.split('; ')).to.have.length(50)
  })
})
