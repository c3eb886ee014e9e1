import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { formatStats, statsToJson } from '../../../lib/crawldb/stats/format-stats.js'
import { parseQuantiles, StatsAccumulator } from '../../../lib/crawldb/stats/stats-accumulator.js'
import { describeCorpus } from '../../support/corpus.js'

const minute = 60_000

function sample(): StatsAccumulator {
  const stats = new StatsAccumulator()
  stats.add(1, 10 * minute + 59_999, 0, 3600, 0.5, 'b.example')
  stats.add(1, 20 * minute, 10, 90_061, 0.25, 'a.example')
  stats.add(1, 20 * minute, 2, 86_400, 0.25, 'a.example')
  stats.add(3, 40 * minute, 0, 86_400, -1, 'a.example')
  return stats
}

describe('readdb --stats', () => {
  it('prints its rows in the order and form of Nutch', () => {
    expect(formatStats(sample().result([0, 0.5, 1]), 'Asia/Shanghai')).to.equal(
      `TOTAL urls:	4
shortest fetch interval:	01:00:00
avg fetch interval:	18:30:15
longest fetch interval:	1 days, 01:01:01
earliest fetch time:	Thu Jan 01 08:10:00 CST 1970
avg of fetch times:	Thu Jan 01 08:22:00 CST 1970
latest fetch time:	Thu Jan 01 08:40:00 CST 1970
retry 0:	2
retry 10:	1
retry 2:	1
score quantile 0.0:	-1.0
score quantile 0.5:	0.25
score quantile 1.0:	0.5
min score:	-1.0
avg score:	0.0
max score:	0.5
status 1 (db_unfetched):	3
   a.example :	2
   b.example :	1
status 3 (db_gone):	1
   a.example :	1
`,
    )
  })
  it('prints thirty days as Nutch does', () => {
    const stats = new StatsAccumulator()
    stats.add(1, 0, 0, 2_592_000, 1)
    expect(formatStats(stats.result())).to.include('longest fetch interval:\t30 days, 00:00:00\n')
  })
  it('has one row for an empty db', () => {
    expect(formatStats(new StatsAccumulator().result([0.5]))).to.equal('TOTAL urls:\t0\n')
    expect(statsToJson(new StatsAccumulator().result([0.5]))).to.deep.equal({ totalUrls: 0, status: {} })
  })
  it('tells the same as JSON', () => {
    expect(statsToJson(sample().result([0.5]))).to.deep.equal({
      totalUrls: 4,
      fetchInterval: { min: 3600, avg: 66_615, max: 90_061 },
      fetchTime: { min: '1970-01-01T00:10:00.000Z', avg: '1970-01-01T00:22:00.000Z', max: '1970-01-01T00:40:00.000Z' },
      'retry 0': 2,
      'retry 2': 1,
      'retry 10': 1,
      scoreQuantiles: { '0.5': 0.25 },
      minScore: -1,
      avgScore: 0,
      maxScore: 0.5,
      status: {
        '1': { count: 3, statusValue: 'db_unfetched', hosts: { 'a.example': 2, 'b.example': 1 } },
        '3': { count: 1, statusValue: 'db_gone', hosts: { 'a.example': 1 } },
      },
    })
  })
  it('reads quantiles in any order and refuses what is none', () => {
    expect(parseQuantiles(['.5', '0', '1', '.01'])).to.deep.equal([0, 0.01, 0.5, 1])
    expect(() => parseQuantiles(['.5', '1.1', 'x', ''])).to.throw('not within 0…1: 1.1, x')
  })

  describeCorpus('on the dumps of the corpus', corpus => {
    for (const file of ['readdb-stats-2015-12067.txt', 'readdb-stats-2015-223331.txt', 'readdb-stats-2015-540105.txt', 'readdb-stats-2014-6303.txt'])
      it(`${file}: a db with these counts gives these rows`, () => {
        const rows = readFileSync(join(corpus, 'nutch/dumps', file), 'utf8')
          .split('\n')
          .filter(row => /^(TOTAL|retry|status)/.test(row))
        const counts = (pattern: RegExp): [number, number][] =>
          rows.flatMap(row => {
            const match = pattern.exec(row)
            return match === null ? [] : [[Number(match[1]), Number(match[2])] as [number, number]]
          })
        const retries = counts(/^retry (\d+):\t(\d+)/).flatMap(([value, count]) => Array.from({ length: count }, () => value))
        const stats = new StatsAccumulator()
        for (const [code, count] of counts(/^status (\d+) .*:\t(\d+)/)) for (let n = 0; n < count; n++) stats.add(code, 0, retries.pop() ?? 0, 1, 0)
        const printed = formatStats(stats.result())
          .split('\n')
          .filter(row => /^(TOTAL|retry|status)/.test(row))
        expect(printed).to.deep.equal(rows)
      })
  })
})
