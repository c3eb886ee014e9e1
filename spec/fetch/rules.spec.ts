import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { headerValueLike } from '../../lib/fetch/header-list.js'
import { formatHttpDate, parseHttpDate, retryAfterMs } from '../../lib/fetch/http-date.js'
import { parseRefresh, redirectTarget } from '../../lib/fetch/redirect-target.js'
import { chooseRepresentative } from '../../lib/fetch/representative-url.js'
import { hasContact, userAgentOf } from '../../lib/fetch/request-headers.js'
import { statusRule } from '../../lib/fetch/status-rules.js'

describe('HTTP dates', () => {
  const instant = Date.UTC(1994, 10, 6, 8, 49, 37)
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', 'sun, 6 nov 1994 8:49:37 gmt'])
    it(`reads ${text}`, () => expect(parseHttpDate(text)).to.equal(instant))
  for (const text of ['', 'yesterday', 'Sun, 06 Foo 1994 08:49:37 GMT', '1994-11-06T08:49:37Z', 'x'.repeat(1000)])
    it(`does not read ${text.slice(0, 30)}`, () => expect(parseHttpDate(text)).to.equal(undefined))

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), seconds => {
        expect(parseHttpDate(formatHttpDate(seconds * 1000))).to.equal(seconds * 1000)
      }),
    )
  })
})

describe('Retry-After', () => {
  const nowMs = Date.UTC(2026, 0, 1)
  for (const { value, date, waitMs } of [
    { value: '120', waitMs: 120_000 },
    { value: ' 0 ', waitMs: undefined },
    { value: '1.5', waitMs: 1500 },
    { value: formatHttpDate(nowMs + 60_000), waitMs: 60_000 },
    { value: formatHttpDate(nowMs - 60_000), waitMs: undefined },
    { value: formatHttpDate(nowMs - 60_000), date: formatHttpDate(nowMs - 90_000), waitMs: 30_000 },
    { value: formatHttpDate(nowMs + 60_000), date: formatHttpDate(nowMs + 50_000), waitMs: 10_000 },
    { value: formatHttpDate(nowMs + 60_000), date: 'Thu, 01 Jan 1970 00:00:00 GMT', waitMs: 60_000 },
    { value: '99999999999999999999', waitMs: 86_400_000 },
    { value: 'Fri, 31 Dec 9999 23:59:59 GMT', waitMs: 86_400_000 },
    { value: '-5', waitMs: undefined },
    { value: 'soon', waitMs: undefined },
    { value: undefined, waitMs: undefined },
  ] as readonly { value: string | undefined; date?: string; waitMs: number | undefined }[])
    it(`${value} asks for ${waitMs} ms${date === undefined ? '' : `, of a server at ${date}`}`, () => {
      expect(retryAfterMs(value, { nowMs, maxMs: 86_400_000, date })).to.equal(waitMs)
    })
})

describe('the status table', () => {
  for (const { statuses, status, protocolStatus } of [
    { statuses: [200, 201, 203, 204, 205, 206, 226, 299], status: 'fetch_success', protocolStatus: 'success' },
    { statuses: [301, 308], status: 'fetch_redir_perm', protocolStatus: 'moved' },
    { statuses: [300, 302, 303, 307, 399], status: 'fetch_redir_temp', protocolStatus: 'temp_moved' },
    { statuses: [304], status: 'fetch_notmodified', protocolStatus: 'notmodified' },
    { statuses: [400, 405, 406, 410, 418, 499], status: 'fetch_gone', protocolStatus: 'gone' },
    { statuses: [404], status: 'fetch_gone', protocolStatus: 'notfound' },
    { statuses: [401, 402, 403, 451], status: 'fetch_gone', protocolStatus: 'access_denied' },
    { statuses: [408, 429, 500, 501, 502, 503, 504, 599, 600, 999], status: 'fetch_retry', protocolStatus: 'exception' },
    { statuses: [202, 421, 423, 425], status: 'fetch_retry', protocolStatus: 'retry' },
  ])
    for (const code of statuses) it(`${code} is ${status}`, () => expect(statusRule(code, true)).to.include({ status, protocolStatus }))
  it('a choice or an unknown 3xx without a place is gone', () => {
    for (const code of [300, 305, 306, 399]) expect(statusRule(code, false).status, String(code)).to.equal('fetch_gone')
    expect(statusRule(302, false).status).to.equal('fetch_redir_temp')
  })
})

describe('redirect targets', () => {
  const utf8 = (text: string): string => Buffer.from(text).toString('latin1')
  for (const { location, target, why } of [
    { location: '/b', target: 'http://h.example/b', why: 'path' },
    { location: 'b?c', target: 'http://h.example/a/b?c', why: 'relative' },
    { location: '?q', target: 'http://h.example/a/x?q', why: 'query alone' },
    { location: '//o.example', target: 'http://o.example/', why: 'other host' },
    { location: ' \thttp://o.example/ \r', target: 'http://o.example/', why: 'blanks around' },
    { location: 'http:\\\\o.example\\b', target: 'http://o.example/b', why: 'backslashes, as browsers read them' },
    { location: utf8('/caf\u00e9'), target: 'http://h.example/caf%C3%A9', why: 'UTF-8' },
    { location: '/caf\u00e9', target: 'http://h.example/caf%E9', why: 'a byte that is no UTF-8 keeps its value' },
    { location: utf8('http://b\u00fccher.example/'), target: 'http://xn--bcher-kva.example/', why: 'host name outside ASCII' },
    { location: '/a b', target: 'http://h.example/a%20b', why: 'blank inside' },
    { location: '', target: undefined, why: 'empty' },
    { location: 'http://', target: undefined, why: 'no host' },
    { location: 'http://a b/', target: undefined, why: 'no host name' },
    { location: 'http://[::1', target: undefined, why: 'broken address' },
  ])
    it(`${JSON.stringify(location)} (${why})`, () => expect(redirectTarget('http://h.example/a/x', location)).to.equal(target))

  for (const { value, refresh } of [
    { value: '5; url=/b', refresh: { delayS: 5, url: '/b' } },
    { value: '0;URL="/b c"', refresh: { delayS: 0, url: '/b c' } },
    { value: "3 , url = '/b", refresh: { delayS: 3, url: '/b' } },
    { value: '2.5;/b', refresh: { delayS: 2, url: '/b' } },
    { value: '10', refresh: { delayS: 10, url: '' } },
    { value: 'url=/b', refresh: undefined },
  ])
    it(`Refresh: ${value}`, () => expect(parseRefresh(value)).to.deep.equal(refresh))
})

describe('representative URLs', () => {
  const [a, b] = ['http://www.a.example', 'http://www.b.example']
  for (const { source, target, isTemporary, chosen, why } of [
    { source: `${a}/`, target: `${b}/x`, isTemporary: true, chosen: `${b}/x`, why: 'another domain' },
    { source: `${a}/`, target: `${a}/x`, isTemporary: false, chosen: `${a}/`, why: 'permanent from a root' },
    { source: `${a}/y`, target: `${a}/x`, isTemporary: false, chosen: `${a}/x`, why: 'permanent' },
    { source: `${a}/`, target: `${a}/x`, isTemporary: true, chosen: `${a}/`, why: 'temporary, source is the root' },
    { source: `${a}/x`, target: `${a}/`, isTemporary: true, chosen: `${a}/`, why: 'temporary, target is the root' },
    { source: `${a}/x/y`, target: `${a}/z`, isTemporary: true, chosen: `${a}/z`, why: 'temporary, fewer parts' },
    { source: `${a}/x`, target: `${a}/longer`, isTemporary: true, chosen: `${a}/x`, why: 'temporary, shorter path' },
    { source: `${a}/x`, target: 'http://a.example/x', isTemporary: true, chosen: 'http://a.example/x', why: 'temporary, fewer labels' },
    { source: `${a}/x`, target: 'http://w2.a.example/x', isTemporary: true, chosen: `${a}/x`, why: 'temporary, a tie' },
    { source: `${a}/folder/`, target: `${a}/x/y`, isTemporary: true, chosen: `${a}/folder/`, why: 'temporary, a slash at the end is no part' },
    { source: `${a}/x/y`, target: `${a}/folder/`, isTemporary: true, chosen: `${a}/folder/`, why: 'temporary, nor is it in the target' },
  ])
    it(why, () => expect(chooseRepresentative(source, target, isTemporary)).to.equal(chosen))
})

describe('the User-Agent', () => {
  const agent = (values: Record<string, string>) => configWith(values).http
  it('is built as Nutch builds it', () => {
    expect(userAgentOf(agent({}))).to.equal('millrace')
    expect(userAgentOf(agent({ 'http.agent.name': 'bot', 'http.agent.version': '2' }))).to.equal('bot/2')
    const full = { 'http.agent.description': 'a test', 'http.agent.url': 'http://u', 'http.agent.email': 'e@x' }
    expect(userAgentOf(agent({ 'http.agent.name': 'bot', ...full }))).to.equal('bot (a test; http://u; e@x)')
    expect([hasContact(agent({})), hasContact(agent(full))]).to.deep.equal([false, true])
  })
})

describe('header names', () => {
  for (const { name, isTaken } of [
    { name: 'LOCATION', isTaken: true },
    { name: 'Loction', isTaken: true },
    { name: 'Loaction', isTaken: true },
    { name: 'Locatiom', isTaken: true },
    { name: 'Localities', isTaken: false },
    { name: 'Content-Location', isTaken: false },
  ])
    it(`${name} is ${isTaken ? '' : 'not '}Location`, () => expect(headerValueLike([[name, 'x']], 'location')).to.equal(isTaken ? 'x' : undefined))
  it('are taken as they are where the right one is there', () => {
    expect(
      headerValueLike(
        [
          ['Loction', 'x'],
          ['location', 'y'],
        ],
        'location',
      ),
    ).to.equal('y')
  })
})
