import { expect } from 'chai'
import fc from 'fast-check'
import { compileExpression } from '../../../lib/crawldb/rules/expression.js'
import {
  type HostFacts,
  type HostOutcome,
  type HostUpdate,
  hostVariable,
  reduceHostFacts,
  responseQuantileMs,
} from '../../../lib/crawldb/rules/host-facts.js'
import { type DbStatus, dbStatuses } from '../../../lib/record/status.js'
import { storedUrl } from '../../../lib/record/url.js'

function record(from: DbStatus | undefined, to: DbStatus | undefined): HostUpdate {
  return { kind: 'record', ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}
function answer(timeMs: number, parts: Partial<HostOutcome> = {}): HostOutcome {
  return { kind: 'outcome', url: storedUrl('http://a.example/x'), timeMs, isAnswered: true, ...parts }
}
function failure(timeMs: number, causeClass: string): HostOutcome {
  return answer(timeMs, { isAnswered: false, causeClass })
}
const present = record(undefined, 'db_fetched')
function facts(...updates: HostUpdate[]): HostFacts {
  return reduceHostFacts('a.example', undefined, [present, ...updates]) as HostFacts
}

describe('the facts of a host', () => {
  it('count records by status', () => {
    const first = reduceHostFacts('a.example', undefined, [record(undefined, 'db_unfetched'), record(undefined, 'db_unfetched')])
    expect(first?.counts).to.deep.equal({ db_unfetched: 2 })
    const second = reduceHostFacts('a.example', first, [record('db_unfetched', 'db_fetched'), record(undefined, 'db_gone')])
    expect(second?.counts).to.deep.equal({ db_unfetched: 1, db_fetched: 1, db_gone: 1 })
    expect(
      reduceHostFacts('a.example', second, [record('db_unfetched', undefined), record('db_fetched', undefined), record('db_gone', undefined)]),
    ).to.equal(undefined)
  })

  for (const { outcomes, dns, connection, why } of [
    { outcomes: [failure(1, 'dns'), failure(2, 'dns')], dns: 2, connection: 0, why: 'names that do not resolve' },
    { outcomes: [failure(1, 'connect'), failure(2, 'tls'), failure(3, 'timeout')], dns: 0, connection: 3, why: 'no connection' },
    { outcomes: [failure(1, 'dns'), failure(2, 'connect')], dns: 0, connection: 1, why: 'the name was resolved again' },
    { outcomes: [failure(1, 'dns'), failure(2, 'connect'), answer(3)], dns: 0, connection: 0, why: 'an answer' },
    { outcomes: [answer(3), failure(4, 'connect')], dns: 0, connection: 1, why: 'after an answer' },
    { outcomes: [failure(4, 'connect'), answer(3)], dns: 0, connection: 1, why: 'by time, not by order of arrival' },
    { outcomes: [failure(1, 'robots'), failure(2, 'guard')], dns: 0, connection: 0, why: 'never asked' },
  ])
    it(`has ${dns} DNS and ${connection} connection failures (${why})`, () => {
      expect(facts(...outcomes)).to.include({ dnsFailures: dns, connectionFailures: connection })
    })

  for (const { outcomes, homepage, why } of [
    { outcomes: [answer(1)], homepage: undefined, why: 'not the root page' },
    { outcomes: [answer(1, { url: storedUrl('http://a.example/') })], homepage: 'http://a.example/', why: 'the root page' },
    {
      outcomes: [answer(1, { url: storedUrl('http://a.example/'), redirectTo: 'http://a.example/en/' })],
      homepage: 'http://a.example/en/',
      why: 'where the root page redirects to',
    },
    {
      outcomes: [answer(2, { url: storedUrl('http://a.example/') }), answer(1, { url: storedUrl('http://a.example/'), redirectTo: 'http://x/' })],
      homepage: 'http://a.example/',
      why: 'the newest',
    },
    { outcomes: [answer(1, { url: storedUrl('http://a.example/dir/') })], homepage: undefined, why: 'a folder is no root' },
    { outcomes: [answer(1, { url: storedUrl('http://a.example/'), isAnswered: false })], homepage: undefined, why: 'no answer' },
  ])
    it(`has homepage ${homepage} (${why})`, () => expect(facts(...outcomes).homepage).to.equal(homepage))

  it('have true quantiles of the response time, over any number of jobs', () => {
    let state: HostFacts | undefined
    for (let job = 0; job < 20; job++) {
      const outcomes = Array.from({ length: 50 }, (_, index) => answer(job * 50 + index, { responseMs: (index * 20 + job) % 1000 }))
      state = reduceHostFacts('a.example', state, [...(job === 0 ? [present] : []), ...outcomes])
    }
    const quantile = (share: number): number => Number(responseQuantileMs(state as HostFacts, share))
    expect(quantile(0)).to.equal(0)
    expect(quantile(1)).to.equal(999)
    for (const [share, within] of [
      [0.5, 40],
      [0.75, 35],
      [0.95, 20],
      [0.99, 10],
    ] as const)
      expect(quantile(share), `${share}`).to.be.within(share * 1000 - within, share * 1000 + within)
    expect(JSON.stringify(state).length).to.be.below(3000)
    expect(JSON.parse(JSON.stringify(state))).to.deep.equal(state)
  })

  it('do not depend on the order of updates', () => {
    const status = fc.constantFrom(...dbStatuses)
    const update: fc.Arbitrary<HostUpdate> = fc.oneof(
      status.map(to => record(undefined, to)),
      fc
        .tuple(fc.nat(20), fc.boolean(), fc.constantFrom('dns', 'connect'), fc.nat(900), fc.constantFrom('/', '/x', '/y'))
        .map(([timeMs, isAnswered, causeClass, responseMs, path]) =>
          answer(timeMs, { isAnswered, causeClass, responseMs, url: storedUrl(`http://a.example${path}`) }),
        ),
    )
    const distinct = fc.uniqueArray(update, { selector: one => (one.kind === 'outcome' ? `${one.timeMs} ${one.url}` : Symbol('record')) })
    fc.assert(
      fc.property(distinct, updates => {
        expect(reduceHostFacts('a.example', undefined, [...updates].reverse())).to.deep.equal(reduceHostFacts('a.example', undefined, updates))
      }),
      { numRuns: 300 },
    )
  })

  for (const { text, value } of [
    { text: 'unfetched + fetched', value: 5 },
    { text: 'ok', value: 3 },
    { text: 'redirs', value: 3 },
    { text: 'numRecords', value: 9 },
    { text: 'gone > 0 ? 10 : 20', value: 10 },
    { text: 'dnsFailures', value: 0 },
    { text: 'connectionFailures', value: 2 },
    { text: 'pct50._rs_', value: 200 },
    { text: 'avg._rs_', value: 200 },
    { text: 'max._rs_ - min._rs_', value: 200 },
    { text: 'max(pct95._rs_ * 2, 500)', value: 600 },
    { text: "homepage == 'http://a.example/'", value: true },
    { text: "host =~ 'a.*'", value: true },
    { text: 'lastFetchTime', value: 5 },
    { text: 'constructor', value: undefined },
  ])
    it(`answer "${text}" with ${value}`, () => {
      const state: HostFacts = {
        host: 'a.example',
        counts: { db_unfetched: 2, db_fetched: 3, db_redir_temp: 1, db_redir_perm: 2, db_gone: 1 },
        dnsFailures: 0,
        connectionFailures: 2,
        lastFetchMs: 5,
        homepage: 'http://a.example/',
        responseMs: {
          min: 100,
          max: 300,
          centroids: [
            [100, 1],
            [200, 1],
            [300, 1],
          ],
        },
      }
      const compilePattern = (pattern: string) => (subject: string) => new RegExp(pattern).test(subject)
      expect(compileExpression(text, { variableOf: hostVariable, compilePattern }).value(state)).to.equal(value)
    })
})
