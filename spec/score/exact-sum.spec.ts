import { expect } from 'chai'
import fc from 'fast-check'
import { maxFloat32 } from '../../lib/record/float32.js'
import { exactSumFloat32, sumOfTwoFloat32 } from '../../lib/score/exact-sum.js'

/** The sum of float32 values in whole multiples of 2⁻¹⁴⁹, the smallest float32, rounded to the nearest float32, ties to even: the
 *  definition, by integers without a bound. */
function sumByIntegers(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + inUnits(value), 0n)
  const magnitude = sum < 0n ? -sum : sum
  const extraBits = Math.max(0, magnitude.toString(2).length - 24)
  const divisor = 1n << BigInt(extraBits)
  let digits = magnitude / divisor
  const twiceRest = (magnitude % divisor) * 2n
  if (twiceRest > divisor || (twiceRest === divisor && digits % 2n === 1n)) digits++
  const rounded = Number(digits) * 2 ** (extraBits - 74) * 2 ** -75
  const finite = Math.min(maxFloat32, rounded)
  return sum < 0n ? -finite : finite
}

function inUnits(value: number): bigint {
  if (value === 0) return 0n
  let exponent = 0
  let scaled = value
  while (!Number.isInteger(scaled) || Math.abs(scaled) >= 2 ** 53) {
    if (Math.abs(scaled) >= 2 ** 53) {
      scaled /= 2
      exponent++
    } else {
      scaled *= 2
      exponent--
    }
  }
  return exponent + 149 >= 0 ? BigInt(scaled) << BigInt(exponent + 149) : BigInt(scaled) >> BigInt(-exponent - 149)
}

describe('the exact sum of scores', () => {
  for (const { values, sum, why } of [
    { values: [], sum: 0, why: 'nothing' },
    { values: [1e30, 1, -1e30], sum: 1, why: 'what a running sum would lose' },
    { values: [16_777_216, 1], sum: 16_777_216, why: 'a tie rounds to even, down' },
    { values: [16_777_218, 1], sum: 16_777_220, why: 'a tie rounds to even, up' },
    { values: [16_777_216, 1, 2 ** -149], sum: 16_777_218, why: 'the least bit more than a tie rounds up: rounded once, not twice' },
    { values: [16_777_220, -1, -(2 ** -149)], sum: 16_777_218, why: 'and the least bit less rounds down' },
    { values: Array.from({ length: 10 }, () => Math.fround(0.1)), sum: Math.fround(1.0000000149011612), why: 'ten times 0.1f' },
    { values: [Number.NaN, 1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], sum: 1, why: 'what is not finite does not count' },
    { values: [maxFloat32, maxFloat32], sum: maxFloat32, why: 'the largest float is the end' },
    { values: [-maxFloat32, -maxFloat32], sum: -maxFloat32, why: 'on both sides' },
  ])
    it(`is ${sum} (${why})`, () => expect(exactSumFloat32(values)).to.equal(sum))

  it('is the same of two numbers', () => {
    const edges = fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, maxFloat32, 16_777_216, 2 ** -149, -(2 ** -60), 1 + 2 ** -23)
    const value = fc.oneof(fc.float(), edges)
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(sumOfTwoFloat32(a, b)).to.equal(exactSumFloat32([a, b]))
      }),
      { numRuns: 3000 },
    )
  })

  it('is the exact sum rounded once, in any order', () => {
    const values = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { maxLength: 20 })
    const close = fc.array(fc.constantFrom(1, -1, 2 ** -24, -(2 ** -24), 2 ** -25, 2 ** -60, -(2 ** -60), 1.5, 16_777_216, 2 ** -149), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(fc.oneof(values, close), fc.infiniteStream(fc.nat()), (numbers, seeds) => {
        const shuffled = numbers.map(value => ({ value, at: seeds.next().value })).sort((a, b) => a.at - b.at)
        const expected = sumByIntegers(numbers)
        expect(exactSumFloat32(numbers)).to.equal(expected + 0)
        expect(exactSumFloat32(shuffled.map(({ value }) => value))).to.equal(expected + 0)
      }),
      { numRuns: 3000 },
    )
  })
})
