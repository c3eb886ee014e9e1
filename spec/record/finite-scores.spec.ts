import { expect } from 'chai'
import { datumFromJson } from '../../lib/record/datum-json.js'
import { datumOfRaw } from '../../lib/record/nutch-record.js'
import { storedUrl } from '../../lib/record/url.js'

describe('a score from outside', () => {
  const times = { fetchTimeMs: 0, modifiedTimeMs: 0 }
  const fromLine = (score: string): number =>
    datumFromJson(
      storedUrl('http://a.example/'),
      JSON.parse(`{"status":"db_fetched","fetchTimeMs":0,"modifiedTimeMs":0,"retries":0,"fetchIntervalS":1,"score":${score},"metadata":{}}`),
    ).score
  const fromDump = (score: string): number =>
    datumOfRaw({ statusCode: '2', ...times, retries: '0', intervalS: 1, score, signature: 'null', metadata: {} }).score

  // Largest float32: (2 − 2⁻²³)·2¹²⁷. From half a step above it on, Java reads Infinity.
  for (const score of ['1e400', '-1e400', '1e39', '3.4028236e38', '-3.5e38']) {
    it(`${score} is refused in a record's line and in a dump: no infinity comes in disguise`, () => {
      expect(() => fromLine(score))
        .to.throw(`score is not ${Number.isFinite(Number(score)) ? 'a finite float32' : 'a number'}: ${Number(score)}`)
        .with.property('code', 'LINE_INVALID')
      expect(() => fromDump(score))
        .to.throw(`score cannot be "${score}"`)
        .with.property('code', 'LINE_INVALID')
    })
  }
  for (const score of ['NaN', 'Infinity', '-Infinity', '']) {
    it(`"${score}" is refused in a dump`, () =>
      expect(() => fromDump(score))
        .to.throw()
        .with.property('code', 'LINE_INVALID'))
  }
  for (const { score, kept } of [
    { score: '3.4028235e38', kept: (2 - 2 ** -23) * 2 ** 127 },
    { score: '-5', kept: -5 },
    { score: '1e-60', kept: 0 },
    { score: '0.1', kept: Math.fround(0.1) },
  ]) {
    it(`${score} is kept as a float32`, () => expect([fromLine(score), fromDump(score)]).to.deep.equal([kept, kept]))
  }
})
