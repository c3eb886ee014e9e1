import { expect } from 'chai'
import fc from 'fast-check'
import { QuantileDigest } from '../../../lib/crawldb/stats/quantile-digest.js'

const quantiles = [0, 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1]

/** Numbers that look random and are the same in every run (a linear congruential generator). */
function* pseudoRandom(): Generator<number> {
  for (let state = 42; ; state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) yield state / 2_147_483_648
}
function take(count: number, of: (random: number, index: number) => number): number[] {
  const random = pseudoRandom()
  return Array.from({ length: count }, (_, index) => of(random.next().value as number, index))
}

/** How far a value's ranks are from the quantile that it is to be; 0 if the quantile lies among equal values. */
function rankError(sorted: readonly number[], value: number, quantile: number): number {
  const below = sorted.filter(other => other < value).length / sorted.length
  const upTo = sorted.filter(other => other <= value).length / sorted.length
  return Math.max(0, below - quantile, quantile - upTo)
}

describe('the quantile digest', () => {
  for (const { name, values } of [
    { name: 'uniform', values: take(20_000, random => random) },
    { name: 'exponential', values: take(20_000, random => -Math.log(1 - random)) },
    { name: 'heavy-tailed', values: take(20_000, random => 1 / (1 - random) ** 2) },
    { name: 'ascending', values: take(20_000, (_, index) => index) },
    { name: 'descending', values: take(20_000, (_, index) => -index) },
    { name: 'two points', values: take(20_000, (_, index) => (index % 3 === 0 ? 1 : 0)) },
    { name: 'one point', values: take(5000, () => 7) },
    { name: 'scores of a crawl', values: take(20_000, (random, index) => (index % 10 === 0 ? 1 : Math.fround(random ** 8 / 100))) },
  ])
    it(`is within its error for ${name} values`, () => {
      const digest = new QuantileDigest()
      for (const value of values) digest.add(value)
      const sorted = [...values].sort((a, b) => a - b)
      for (const quantile of quantiles) {
        const bound = (4 * Math.sqrt(quantile * (1 - quantile))) / 100 + 1 / values.length
        expect(rankError(sorted, digest.quantile(quantile), quantile), `quantile ${quantile}`).to.be.below(bound)
      }
      expect(digest.quantile(0)).to.equal(sorted[0])
      expect(digest.quantile(1)).to.equal(sorted.at(-1))
      expect(digest.count).to.equal(values.length)
      expect(digest.toJSON().centroids.length).to.be.below(210)
    })

  it('gives the value itself where equal values hold the quantile', () => {
    const digest = new QuantileDigest()
    for (let index = 0; index < 30_000; index++) digest.add(index % 3 === 0 ? 1 : 0)
    expect([0.1, 0.5, 0.65, 0.69, 0.9].map(quantile => digest.quantile(quantile))).to.deep.equal([0, 0, 0, 1, 1])
  })

  it('passes over what is no number, and says so of nothing', () => {
    const digest = new QuantileDigest()
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) digest.add(value)
    expect(digest.count).to.equal(0)
    expect(digest.quantile(0.5)).to.be.NaN
  })

  it('goes on from its stored state', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 300 }), values => {
        const whole = new QuantileDigest()
        for (const value of values) whole.add(value)
        const stored = QuantileDigest.from(JSON.parse(JSON.stringify(whole)) as ReturnType<QuantileDigest['toJSON']>)
        expect(quantiles.map(quantile => stored.quantile(quantile))).to.deep.equal(quantiles.map(quantile => whole.quantile(quantile)))
        expect([stored.count, stored.min, stored.max]).to.deep.equal([values.length, Math.min(...values) + 0, Math.max(...values) + 0])
      }),
      { numRuns: 200 },
    )
  })

  it('never decreases from one quantile to the next, and stays between the ends', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 100 }), values => {
        const digest = new QuantileDigest()
        for (const value of values) digest.add(value)
        const found = quantiles.map(quantile => digest.quantile(quantile))
        for (const [index, value] of found.entries()) expect(value).to.be.at.least(found[index - 1] ?? Math.min(...values))
        expect(found.at(-1)).to.equal(Math.max(...values) + 0)
      }),
      { numRuns: 300 },
    )
  })
})
