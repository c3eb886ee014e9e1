import { expect } from 'chai'
import fc from 'fast-check'
import { bucketOf, bucketUpperBound, isExactBucket } from '../../lib/crawldb/sort-bucket.js'

const scores = fc.float({ noNaN: true, noDefaultInfinity: true })

describe('sort value buckets', () => {
  it('stand in the order of descending values', () => {
    fc.assert(
      fc.property(scores, scores, (a, b) => {
        if (bucketOf(a) < bucketOf(b)) expect(a).to.be.greaterThan(b)
        if (a > b) expect(bucketOf(a) <= bucketOf(b)).to.equal(true)
      }),
    )
  })

  it('never hold a value above their bound', () => {
    fc.assert(fc.property(scores, score => expect(bucketUpperBound(bucketOf(score))).to.be.at.least(score) !== undefined))
  })

  it('hold one value only where they are exact', () => {
    fc.assert(
      fc.property(scores, score => {
        if (isExactBucket(bucketOf(score))) expect(bucketUpperBound(bucketOf(score))).to.equal(score + 0)
      }),
    )
  })

  for (const score of [0, -0, 1, 0.5, 2, 1024]) it(`${score} has an exact bucket`, () => expect(isExactBucket(bucketOf(score))).to.equal(true))

  it('changes of less than a hundredth mostly stay in the bucket, changes of a tenth never do', () => {
    expect(bucketOf(0.7001)).to.equal(bucketOf(0.7))
    expect(bucketOf(0.77)).not.to.equal(bucketOf(0.7))
  })
})
