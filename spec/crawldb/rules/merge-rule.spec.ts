import { expect } from 'chai'
import { reduceMerge } from '../../../lib/crawldb/rules/merge-rule.js'
import type { DbDatum } from '../../../lib/record/records.js'
import { describeCorpus, readCorpus } from '../../support/corpus.js'
import { dbDatum } from '../../support/db-datum.js'

const dayMs = 86_400_000
const fetched = (parts: Partial<DbDatum>) => dbDatum({ status: 'db_fetched', fetchIntervalS: 86_400, ...parts })

describe('merging CrawlDbs', () => {
  it('of no record makes none, of one that one', () => {
    const datum = dbDatum()
    expect(reduceMerge([])).to.equal(undefined)
    expect(reduceMerge([datum])).to.equal(datum)
  })
  for (const { records, winner, why } of [
    { records: [fetched({ fetchTimeMs: 5 * dayMs }), fetched({ fetchTimeMs: 6 * dayMs })], winner: 1, why: 'fetched later' },
    {
      records: [fetched({ fetchTimeMs: 30 * dayMs, fetchIntervalS: 29 * 86_400 }), fetched({ fetchTimeMs: 3 * dayMs })],
      winner: 1,
      why: 'due earlier, but fetched later',
    },
    { records: [dbDatum({ fetchTimeMs: 90 * dayMs }), fetched({ fetchTimeMs: 3 * dayMs })], winner: 1, why: 'fetched at all' },
    { records: [dbDatum({ fetchTimeMs: 5 }), dbDatum({ fetchTimeMs: 9 })], winner: 1, why: 'never fetched: due later' },
    { records: [fetched({ score: 1 }), fetched({ score: 2 })], winner: 0, why: 'equal: the first' },
  ])
    it(`takes record ${winner} (${why})`, () => expect(reduceMerge(records)).to.deep.equal(records[winner]))

  it('unites metadata, newer over older', () => {
    const merged = reduceMerge([
      fetched({ fetchTimeMs: 3 * dayMs, metadata: { a: '3', b: '3' } }),
      fetched({ fetchTimeMs: 1 * dayMs, metadata: { a: '1', b: '1', c: '1', d: '1' } }),
      fetched({ fetchTimeMs: 2 * dayMs, metadata: { b: '2', c: '2' } }),
    ])
    expect(merged?.metadata).to.deep.equal({ a: '3', b: '3', c: '2', d: '1' })
  })

  describeCorpus('on the facts of TestCrawlDbMerger', () => {
    for (const fact of readCorpus<MergeFact>('nutch/crawldb-ops.json')?.cases ?? [])
      if (fact.op === 'mergedb')
        it(fact.id, () => {
          for (const { url, fetchTime, fetchInterval, metadata } of fact.expected) {
            const records = [...fact.db1, ...fact.db2].filter(record => record.url === url).map(toDatum)
            expect(reduceMerge(records)).to.deep.equal(toDatum({ url, fetchTime, fetchInterval, metadata }))
          }
        })
  })
})

interface MergeRecord {
  readonly url: string
  readonly fetchTime: number
  readonly fetchInterval: number
  readonly metadata: Readonly<Record<string, string>>
}
interface MergeFact {
  readonly op: string
  readonly id: string
  readonly db1: readonly MergeRecord[]
  readonly db2: readonly MergeRecord[]
  readonly expected: readonly MergeRecord[]
}
function toDatum({ url, fetchTime, fetchInterval, metadata }: MergeRecord): DbDatum {
  return fetched({ url, fetchTimeMs: fetchTime, fetchIntervalS: fetchInterval, metadata } as Partial<DbDatum>) // the corpus gives plain strings
}
