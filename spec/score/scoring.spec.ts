import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import type { Outlink } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'
import { bestLink, bestLinks } from '../../lib/score/best-links.js'
import { createScoring, type Scoring, type ScoringParts } from '../../lib/score/create-scoring.js'
import type { LinkContribution, ScoringFilter } from '../../lib/score/scoring-filter.js'
import { dbDatum } from '../support/db-datum.js'

const nowMs = Date.UTC(2026, 0, 1)
const nowS = nowMs / 1000

function scoring(order: string, values: Readonly<Record<string, unknown>> = {}, parts: ScoringParts = {}): Scoring {
  return createScoring(configWith({ 'scoring.filter.order': order, ...values }).score, parts)
}
function outlinks(...urls: string[]): Outlink[] {
  return urls.map(url => ({ url: storedUrl(url), anchor: 'x', rel: '', element: 'a' }))
}
function link(from: string, score: number, metadata: Readonly<Record<string, string>> = {}): LinkContribution {
  return { from: storedUrl(from), score, metadata }
}

describe('OPIC', () => {
  const page = { from: dbDatum({ url: 'http://a.example/p', score: 2 }), parseMetadata: {}, extractedCount: 8 }
  const links = outlinks('http://a.example/1', 'http://b.example/2', 'http://A.example:8080/3', 'http://sub.a.example/4')

  it('starts a linked page at 0', () => expect(scoring('opic').initial(dbDatum({ score: 5 })).score).to.equal(0))

  for (const { values, scores, why } of [
    { values: {}, scores: [0.5, 0.5, 0.5, 0.5], why: 'the page score in equal parts' },
    { values: { 'db.score.count.filtered': true }, scores: [0.25, 0.25, 0.25, 0.25], why: 'links that were dropped take their part' },
    {
      values: { 'db.score.link.internal': 0.1, 'db.score.link.external': 2 },
      scores: [Math.fround(0.05), 1, 1, 1],
      why: 'factors by host; another host is external even below the same domain',
    },
  ])
    it(`distributes ${scores.join(' ')} (${why})`, () => {
      expect(
        scoring('opic', values)
          .distribute({ ...page, links })
          .map(({ score }) => score),
      ).to.deep.equal(scores)
    })

  it('gives 0.01f for one of a hundred links of a seed, as in the segment of the corpus', () => {
    const hundred = outlinks(...Array.from({ length: 100 }, (_, index) => `http://a.example/${index}`))
    const [first] = scoring('opic').distribute({ from: dbDatum({ score: 1 }), parseMetadata: {}, extractedCount: 100, links: hundred })
    expect(first?.score).to.equal(0.009999999776482582)
  })

  it('tells where a link came from and led to', () => {
    expect(scoring('opic').distribute({ ...page, links: outlinks('http://b.example/') })).to.deep.equal([
      { from: 'http://a.example/p', to: 'http://b.example/', anchor: 'x', score: 2, metadata: {} },
    ])
  })

  it('has nothing to distribute without links', () => expect(scoring('opic').distribute({ ...page, links: [] })).to.deep.equal([]))

  it('adds what links bring to what the page had', () => {
    const links = [link('http://x/', 0.25), link('http://y/', 0.5)]
    expect(scoring('opic').update({ old: dbDatum({ score: 1 }), datum: dbDatum({ score: 9 }), links, nowMs }).score).to.equal(1.75)
    expect(scoring('opic').update({ old: undefined, datum: dbDatum({ score: 9 }), links, nowMs }).score).to.equal(9.75)
  })

  it('sorts by score and boosts a document by its root', () => {
    expect(scoring('opic').generatorSortValue(dbDatum({ score: 0.25 }))).to.equal(0.25)
    expect(scoring('opic').indexerBoost(dbDatum({ score: 0.25 }))).to.equal(0.5)
    expect(scoring('opic').indexerBoost(dbDatum({ score: -4 }), 3)).to.equal(0)
  })
})

describe('depth scoring', () => {
  const depth = scoring('depth', { 'scoring.depth.max': 3 })
  const at = (level: string | undefined, url = 'http://a.example/') => dbDatum({ url, metadata: level === undefined ? {} : { _depth_: level } })
  const distributed = (from: ReturnType<typeof at>, chain = depth) =>
    chain.distribute({ from, parseMetadata: {}, extractedCount: 1, links: outlinks('http://b.example/') })

  it('starts a seed at 1', () => expect(depth.injected(dbDatum()).metadata).to.deep.equal({ _depth_: '1' }))
  it('gives links one more', () => expect(distributed(at('1'))[0]?.metadata).to.deep.equal({ _depth_: '2' }))
  it('drops the links of a page at the limit', () => expect(distributed(at('3'))).to.deep.equal([]))
  it('takes a page of unknown depth for a seed', () => expect(distributed(at(undefined))[0]?.metadata).to.deep.equal({ _depth_: '2' }))
  it('follows the limit that a seed brings, and hands it on', () => {
    const from = dbDatum({ metadata: { _depth_: '3', _maxdepth_: '4' } })
    expect(distributed(from)[0]?.metadata).to.deep.equal({ _depth_: '4', _maxdepth_: '4' })
    expect(distributed(dbDatum({ metadata: { _depth_: '2', _maxdepth_: '2' } }))).to.deep.equal([])
  })
  it('has another limit for pages that match', () => {
    const values = { 'scoring.depth.max': 1, 'scoring.depth.override.pattern': '/hub/', 'scoring.depth.max.override': 5 }
    const chain = scoring('depth', values, { compilePattern: pattern => text => text.includes(pattern) })
    expect(distributed(at('1', 'http://a.example/hub/x'), chain)).to.have.lengthOf(1)
    expect(distributed(at('1', 'http://a.example/x'), chain)).to.deep.equal([])
  })
  it('refuses a pattern that cannot be used', () => {
    const compilePattern = (pattern: string) => {
      const compiled = new RegExp(pattern)
      return (text: string) => compiled.test(text)
    }
    expect(() => scoring('depth', { 'scoring.depth.override.pattern': 'a(' }, { compilePattern })).to.throw('scoring.depth.override.pattern')
  })
  for (const { level, sort } of [
    { level: '1', sort: 6 },
    { level: '3', sort: 2 },
    { level: undefined, sort: 2 },
  ])
    it(`sorts depth ${level} by ${sort} where the filter before said 2`, () => expect(depth.generatorSortValue(at(level), 2)).to.equal(sort))
  for (const { old, datum, links, expected, why } of [
    { old: '4', datum: '4', links: ['6', '2'], expected: '2', why: 'the least of all' },
    { old: '1', datum: '4', links: [], expected: '1', why: 'the old one' },
    { old: undefined, datum: '4', links: ['9'], expected: '4', why: 'its own' },
    { old: undefined, datum: undefined, links: ['x', '-3'], expected: undefined, why: 'what is no depth does not count' },
  ])
    it(`updates to ${expected} (${why})`, () => {
      const updated = depth.update({
        old: old === undefined ? undefined : at(old),
        datum: at(datum),
        links: links.map(level => link('http://x/', 0, { _depth_: level })),
        nowMs,
      })
      expect(updated.metadata._depth_).to.equal(expected)
    })
})

describe('orphan scoring', () => {
  const orphan = scoring('orphan')
  it('notes when a page was last linked to', () => {
    expect(orphan.update({ old: undefined, datum: dbDatum(), links: [link('http://x/', 1)], nowMs }).metadata).to.deep.equal({ _orphan_: `${nowS}` })
    expect(orphan.update({ old: undefined, datum: dbDatum(), links: [], nowMs }).metadata).to.deep.equal({})
  })
  for (const { unseenS, status } of [
    { unseenS: 2_592_000, status: 'db_fetched' },
    { unseenS: 2_592_001, status: 'db_gone' },
    { unseenS: 3_456_000, status: 'db_gone' },
    { unseenS: 3_456_001, status: 'db_orphan' },
  ])
    it(`makes a page ${status} that was not linked to for ${unseenS} s`, () => {
      expect(orphan.orphaned(dbDatum({ status: 'db_fetched', metadata: { _orphan_: `${nowS - unseenS}` } }), nowMs).status).to.equal(status)
    })
  it('leaves pages alone that were never linked to', () => {
    const datum = dbDatum({ status: 'db_fetched' })
    expect(orphan.orphaned(datum, nowMs)).to.equal(datum)
  })
  it('says whether a scan for orphans is of use', () => expect([orphan.marksOrphans, scoring('opic').marksOrphans]).to.deep.equal([true, false]))
})

describe('metadata scoring', () => {
  const carried = (order: string, values: Readonly<Record<string, unknown>>) =>
    scoring(order, values).distribute({
      from: dbDatum({ metadata: { lang: 'de', site: '7', private: 'x' } }),
      parseMetadata: { topic: 'tea', site: '8' },
      extractedCount: 1,
      links: outlinks('http://b.example/'),
    })[0]?.metadata

  for (const { order, values, expected } of [
    { order: 'metadata', values: { 'scoring.parse.md': 'topic,missing' }, expected: { topic: 'tea' } },
    {
      order: 'metadata',
      values: { 'scoring.parse.md': 'lang,site', 'scoring.db.md': 'lang,site', 'scoring.content.md': 'lang' },
      expected: { lang: 'de', site: '8' },
    },
    { order: 'metadata', values: { 'scoring.parse.md': 'lang', 'scoring.db.md': 'lang' }, expected: {} },
    { order: 'urlmeta', values: { 'urlmeta.tags': 'lang,constructor' }, expected: { lang: 'de' } },
    { order: 'depth,urlmeta', values: { 'urlmeta.tags': 'lang' }, expected: { _depth_: '2', lang: 'de' } },
    { order: 'opic', values: { 'urlmeta.tags': 'lang' }, expected: {} },
  ])
    it(`carries ${JSON.stringify(expected)} by ${order} with ${JSON.stringify(values)}`, () => expect(carried(order, values)).to.deep.equal(expected))
})

describe('the scoring chain', () => {
  it('understands the names of Nutch, separated by commas or spaces', () => {
    const names = 'org.apache.nutch.scoring.opic.OPICScoringFilter org.apache.nutch.scoring.depth.DepthScoringFilter'
    expect(scoring(names).fingerprint).to.equal(scoring('opic,depth').fingerprint)
  })
  it('refuses an unknown filter and names the nearest', () => {
    expect(() => scoring('opik')).to.throw('scoring.filter.order: no such scoring filter: opik (did you mean opic?)')
  })
  it('runs filters in their order', () => {
    const plusOne: ScoringFilter = { name: 'plus', generatorSortValue: (_, sort) => sort + 1 }
    const half: ScoringFilter = { name: 'half', generatorSortValue: (_, sort) => sort / 2 }
    const sortOf = (order: string): number => scoring(order, {}, { filters: [plusOne, half] }).generatorSortValue(dbDatum())
    expect([sortOf('plus,half'), sortOf('half,plus'), sortOf('half')]).to.deep.equal([1, 1.5, 1.5])
  })
  it('has a fingerprint that changes when sort values would, and only then', () => {
    const base = scoring('opic,depth').fingerprint
    expect(scoring('opic,depth', { 'scoring.depth.max': 7 }).fingerprint).not.to.equal(base)
    expect(scoring('opic').fingerprint).not.to.equal(base)
    expect(scoring('opic,depth,orphan,metadata', { 'db.score.link.internal': 7 }).fingerprint).to.equal(base)
  })
  it('never lets out what is no finite float32, whatever filters say', () => {
    const bad = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, -1e308, 1e-320, 0.1)
    fc.assert(
      fc.property(bad, bad, (first, second) => {
        const wild: ScoringFilter = {
          name: 'wild',
          injected: datum => ({ ...datum, score: first }),
          initial: datum => ({ ...datum, score: first }),
          generatorSortValue: () => first,
          distribute: (_, links) => links.map(one => ({ ...one, score: first })),
          update: ({ datum }) => ({ ...datum, score: first }),
          indexerBoost: () => first,
        }
        const chain = scoring('wild,opic', {}, { filters: [wild] })
        const datum = dbDatum({ score: second })
        const links = [link('http://x/', first), link('http://y/', second)]
        const values = [
          chain.injected(datum).score,
          chain.initial(datum).score,
          chain.generatorSortValue(datum, second),
          chain.update({ old: datum, datum, links, nowMs }).score,
          chain.indexerBoost(datum),
          ...chain.distribute({ from: datum, parseMetadata: {}, extractedCount: 1, links: outlinks('http://b.example/') }).map(one => one.score),
        ]
        for (const value of values) if (!Number.isFinite(value) || Math.fround(value) !== value) expect.fail(`${value} came out`)
      }),
      { numRuns: 300 },
    )
  })
})

describe('links that count', () => {
  it('are the best by score, then by source, best first', () => {
    const links = [link('http://c/', 1), link('http://a/', 1), link('http://b/', 3), link('http://d/', 0)]
    expect(bestLinks(links, 3).map(({ from }) => from)).to.deep.equal(['http://b/', 'http://a/', 'http://c/'])
    expect(bestLinks(links, 10)).to.have.lengthOf(4)
    expect(bestLinks(links.slice(0, 1), 10)).to.deep.equal([links[0]])
  })
  it('are the same however they arrive', () => {
    const some = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(4)), { maxLength: 60 })
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 5 }), (pairs, max) => {
        const links = pairs.map(([host, score]) => link(`http://${host}/`, score))
        const expected = bestLinks(links, max).map(({ from, score }) => `${from} ${score}`)
        expect(bestLink(links)).to.deep.equal(expected.length === 0 ? undefined : bestLinks(links, 1)[0])
        expect(bestLinks([...links].reverse(), max).map(({ from, score }) => `${from} ${score}`)).to.deep.equal(expected)
      }),
      { numRuns: 300 },
    )
  })
})
