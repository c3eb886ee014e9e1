import { expect } from 'chai'
import fc from 'fast-check'
import {
  compareDuplicates,
  type DedupCriterion,
  dedupCriteria,
  defaultCompareOrder,
  parseCompareOrder,
  reduceDuplicates,
} from '../../../lib/crawldb/rules/dedup-rule.js'
import type { DbDatum } from '../../../lib/record/records.js'
import { statusName } from '../../../lib/record/status.js'
import { storedUrl } from '../../../lib/record/url.js'
import { describeCorpus, readCorpus } from '../../support/corpus.js'
import { dbDatum } from '../../support/db-datum.js'

const signature = new Uint8Array([7])
function page(url: string, parts: Partial<DbDatum> = {}): DbDatum {
  return dbDatum({ status: 'db_fetched', signature, ...parts, url })
}
function statusesAfter(records: readonly DbDatum[], order: readonly DedupCriterion[] = defaultCompareOrder): Record<string, string> {
  const statuses: Record<string, string> = Object.fromEntries(records.map(({ url, status }) => [url, status]))
  for (const { url, status } of reduceDuplicates(records, { order })) statuses[url] = status
  return statuses
}

describe('the compare order', () => {
  for (const { order, a, b, better, why } of [
    { order: 'score', a: { score: 2 }, b: { score: 1 }, better: 'a', why: 'higher score' },
    { order: 'fetchTime', a: { fetchTimeMs: 1 }, b: { fetchTimeMs: 2 }, better: 'b', why: 'newer' },
    { order: 'httpsOverHttp', a: { url: 'http://x.example/' }, b: { url: 'https://x.example/' }, better: 'b', why: 'https' },
    { order: 'httpsOverHttp', a: { url: 'https://x.example/1' }, b: { url: 'https://x.example/2' }, better: 'none', why: 'both https' },
    { order: 'urlLength', a: { url: 'http://x.example/%41%41%41' }, b: { url: 'http://x.example/AAAA' }, better: 'a', why: 'shorter after decoding' },
    { order: 'urlLength', a: { url: 'http://x.example/%E9%E9' }, b: { url: 'http://x.example/AAAA' }, better: 'b', why: 'not decodable: as it is' },
    { order: 'score,fetchTime', a: { score: 1, fetchTimeMs: 9 }, b: { score: 2 }, better: 'b', why: 'the first criterion decides' },
    { order: 'fetchTime,score', a: { score: 1, fetchTimeMs: 9 }, b: { score: 2 }, better: 'a', why: 'in its order' },
  ])
    it(`${order} prefers ${better} (${why})`, () => {
      const comparison = compareDuplicates(dbDatum(a), dbDatum(b), parseCompareOrder(order))
      expect(Math.sign(comparison)).to.equal({ a: -1, b: 1, none: 0 }[better])
      expect(Math.sign(compareDuplicates(dbDatum(b), dbDatum(a), parseCompareOrder(order)))).to.equal(0 - Math.sign(comparison))
    })
  for (const text of ['', 'score,size', 'score,score', 'score,'])
    it(`"${text}" is refused`, () => expect(() => parseCompareOrder(text)).to.throw('compare order is a list of score, fetchTime'))
})

describe('dedup', () => {
  it('keeps one and marks the rest', () => {
    expect(
      statusesAfter([page('http://a/', { score: 1 }), page('http://b/', { score: 3 }), page('http://c/', { score: 2, status: 'db_notmodified' })]),
    ).to.deep.equal({
      'http://a/': 'db_duplicate',
      'http://b/': 'db_fetched',
      'http://c/': 'db_duplicate',
    })
  })
  it('gives only what changes', () => {
    const records = [page('http://a/', { score: 3 }), page('http://b/', { status: 'db_duplicate' })]
    expect(reduceDuplicates(records, { order: defaultCompareOrder })).to.deep.equal([])
    expect(reduceDuplicates([page('http://a/')], { order: defaultCompareOrder })).to.deep.equal([])
  })
  it('makes a duplicate fetched again when the page it doubled is gone, or has fallen behind', () => {
    expect(statusesAfter([page('http://a/', { status: 'db_duplicate' })])).to.deep.equal({ 'http://a/': 'db_fetched' })
    expect(statusesAfter([page('http://a/', { status: 'db_gone', score: 9 }), page('http://b/', { status: 'db_duplicate' })])).to.deep.equal({
      'http://a/': 'db_gone',
      'http://b/': 'db_fetched',
    })
    expect(statusesAfter([page('http://a/', { score: 1 }), page('http://b/', { status: 'db_duplicate', score: 2 })])).to.deep.equal({
      'http://a/': 'db_duplicate',
      'http://b/': 'db_fetched',
    })
  })
  for (const status of ['db_unfetched', 'db_gone', 'db_redir_temp', 'db_redir_perm', 'db_orphan', 'db_parse_failed'] as const)
    it(`passes ${status} over`, () =>
      expect(statusesAfter([page('http://a/', { status, score: 9 }), page('http://b/')])).to.include({ 'http://a/': status }))

  it('survives URLs that do not decode, with the same survivor in any order (R045)', () => {
    const urls = ['x?q=100%', 'x?q=%zz', 'x?q=%E9', 'xx?q=100%25ab', 'yyyyyyyyyyyyyy'].map(path => `http://a.example/${path}`)
    const records = urls.map(url => page(url))
    const forward = statusesAfter(records)
    expect(forward).to.deep.equal(statusesAfter([...records].reverse()))
    const fetched = urls.filter(url => forward[url] === 'db_fetched')
    expect(fetched).to.deep.equal(['http://a.example/x?q=%E9'])
    expect(urls.filter(url => forward[url] === 'db_duplicate')).to.have.lengthOf(4)
  })

  it('leaves exactly one that counts, whatever the records, their order and the compare order', () => {
    const record = fc.record({
      url: fc.constantFrom('a', 'b%', 'c%C3%BC', 'dd', 'e').map(path => `http://x.example/${path}`),
      score: fc.constantFrom(0, 1),
      fetchTimeMs: fc.constantFrom(0, 1),
      status: fc.constantFrom('db_fetched' as const, 'db_notmodified' as const, 'db_duplicate' as const),
    })
    const records = fc.uniqueArray(record, { selector: ({ url }) => url, minLength: 1 })
    fc.assert(
      fc.property(records, fc.shuffledSubarray([...dedupCriteria]), (some, order) => {
        const pages = some.map(({ url, ...parts }) => page(url, parts))
        const after = statusesAfter(pages, order)
        expect(Object.values(after).filter(status => status !== 'db_duplicate')).to.have.lengthOf(1)
        expect(statusesAfter([...pages].reverse(), order)).to.deep.equal(after)
        const again = pages.map(one => ({ ...one, status: after[one.url] as DbDatum['status'] }))
        expect(reduceDuplicates(again, { order })).to.deep.equal([])
      }),
      { numRuns: 500 },
    )
  })

  describe('by canonical links', () => {
    const canonicalOf = ({ metadata }: DbDatum) => (metadata.canonical === undefined ? undefined : storedUrl(metadata.canonical))
    const survivor = (...records: DbDatum[]): string[] => {
      const losers = reduceDuplicates(records, { order: defaultCompareOrder, canonicalOf }).map(({ url }) => url)
      return records.map(({ url }) => url as string).filter(url => !losers.some(loser => loser === url))
    }
    const naming = (url: string, canonical: string, score = 1) => page(url, { score, metadata: { canonical } })
    it('keeps the page that others name, whatever its score', () => {
      expect(survivor(naming('http://a/', 'http://b/', 9), page('http://b/', { score: 0 }), page('http://c/', { score: 5 }))).to.deep.equal([
        'http://b/',
      ])
    })
    it('does not count a page that names itself, or one outside of the group', () => {
      expect(survivor(naming('http://a/', 'http://a/', 1), page('http://b/', { score: 2 }))).to.deep.equal(['http://b/'])
      expect(survivor(naming('http://a/', 'http://z/', 3), page('http://b/', { score: 2 }))).to.deep.equal(['http://a/'])
    })
    it('falls back on the compare order where pages name each other', () => {
      expect(survivor(naming('http://a/', 'http://b/', 1), naming('http://b/', 'http://a/', 2))).to.deep.equal(['http://b/'])
    })
  })

  describeCorpus('on the facts of TestCrawlDbDeduplication', () => {
    for (const fact of readCorpus<DedupFact>('nutch/crawldb-ops.json')?.cases ?? []) {
      if (fact.op === 'dedup') it(fact.id, () => checkDedup(fact))
      if (fact.op === 'dedupCompare') it(fact.id, () => checkCompare(fact))
    }
  })
})

type DedupFact =
  | { readonly op: 'dedup'; readonly id: string; readonly compareOrder: string; readonly expected: Readonly<Record<string, string>> }
  | {
      readonly op: 'dedupCompare'
      readonly id: string
      readonly compareOrder: string
      readonly url1: string
      readonly url2: string
      readonly duplicate: string | null
    }
  | { readonly op: 'other'; readonly id: string }

interface FixtureRecord {
  readonly url: string
  readonly status: number
  readonly fetchTime: number
  readonly score: number
  readonly signature: string | null
}

function checkDedup({ compareOrder, expected }: Extract<DedupFact, { op: 'dedup' }>): void {
  const { records } = readCorpus('nutch/crawldb-dedup.json') as unknown as { records: readonly FixtureRecord[] } // its key is not `cases`
  const groups = new Map<string, DbDatum[]>()
  for (const { url, status, fetchTime, score, signature: hex } of records) {
    if (hex === null) continue
    const datum = page(url, { status: statusName(status) as DbDatum['status'], fetchTimeMs: fetchTime, score, signature: Buffer.from(hex, 'hex') })
    groups.set(hex, [...(groups.get(hex) ?? []), datum])
  }
  const statuses = Object.assign({}, ...[...groups.values()].map(group => statusesAfter(group, parseCompareOrder(compareOrder))))
  expect(statuses).to.include(expected)
}

function checkCompare({ compareOrder, url1, url2, duplicate }: Extract<DedupFact, { op: 'dedupCompare' }>): void {
  const comparison = compareDuplicates(dbDatum({ url: url1 }), dbDatum({ url: url2 }), parseCompareOrder(compareOrder))
  expect(comparison === 0 ? null : comparison < 0 ? url2 : url1).to.equal(duplicate)
}
