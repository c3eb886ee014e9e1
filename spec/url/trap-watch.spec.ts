import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { Counters } from '../../lib/log/counters.js'
import { ShapeSketch } from '../../lib/url/traps/shape-sketch.js'
import { shapeOf, trapSignOf } from '../../lib/url/traps/trap-rules.js'
import { createTrapWatch, trapFilter } from '../../lib/url/traps/trap-watch.js'
import { loadFilters } from '../../pipelines/url-rules.js'

const { url: defaults } = configWith()

describe('trap watch', () => {
  for (const { url, sign } of [
    { url: 'http://a.test/', sign: undefined },
    { url: 'http://a.test/blog/2024/05/12/title', sign: undefined },
    { url: 'http://a.test/2024/2024/2024', sign: undefined },
    { url: 'http://a.test/a/x/a/y/a', sign: 'repeated-segments' },
    { url: 'http://a.test/a/a/b', sign: undefined },
    { url: `http://a.test/${Array.from({ length: 21 }, (_, index) => `s${index}`).join('/')}`, sign: 'deep' },
    { url: `http://a.test/${'x'.repeat(2000)}`, sign: 'long' },
    { url: `http://a.test/?${Array.from({ length: 21 }, (_, index) => `p${index}=1`).join('&')}`, sign: 'many-parameters' },
    { url: 'http://a.test/x?PHPSESSID=0123456789abcdef0123', sign: 'session-id' },
    { url: 'http://a.test/x?sid=12', sign: undefined },
  ] as const) {
    it(`sees ${sign ?? 'no sign'} in ${url.slice(0, 50)}`, () => expect(trapSignOf(url, defaults)).to.equal(sign))
  }

  for (const [first, second] of [
    ['http://a.test/cal/2024/05?day=1&view=x', 'http://a.test/cal/1999/12?view=y&day=31'],
    ['http://a.test/item-17-blue', 'http://a.test/item-4-blue'],
    ['http://a.test/o/3f2504e04f8911d39a0c0305e82c3301', 'http://a.test/o/0a2504e04f8911d39a0c0305e82c33ff'],
  ] as const) {
    it(`gives ${first} and ${second} one shape`, () => expect(shapeOf(first)).to.equal(shapeOf(second)))
  }
  for (const [first, second] of [
    ['http://a.test/cal/2024', 'http://b.test/cal/2024'],
    ['http://a.test/about', 'http://a.test/contact'],
    ['http://a.test/?a=1', 'http://a.test/?b=1'],
  ] as const) {
    it(`gives ${first} and ${second} two`, () => expect(shapeOf(first)).to.not.equal(shapeOf(second)))
  }

  it('never counts too low, and hardly too high, in bounded memory', () => {
    const sketch = new ShapeSketch(4096)
    for (let round = 1; round <= 3; round++) for (let id = 0; id < 1000; id++) expect(sketch.add(`text ${id}`)).to.be.within(round, round + 3)
    fc.assert(fc.property(fc.nat(999), id => sketch.count(`text ${id}`) >= 3))
    expect(() => new ShapeSketch(1000)).to.throw(RangeError)
  })

  it('counts by default, and holds back where asked', () => {
    const urls = Array.from({ length: 12 }, (_, day) => `http://a.test/cal/${day}`)
    for (const { action, admitted, counted } of [
      { action: 'count', admitted: 12, counted: 2 },
      { action: 'hold', admitted: 10, counted: 2 },
      { action: 'off', admitted: 12, counted: 0 },
    ]) {
      const counters = new Counters()
      const watch = createTrapWatch(configWith({ 'millrace.trap.action': action, 'millrace.trap.shape.urls': '10' }).url, counters)
      expect(
        urls.filter(url => watch.admits(url)),
        action,
      ).to.have.lengthOf(admitted)
      expect(counters.get('trap/many-of-a-shape'), action).to.equal(counted)
    }
  })

  it('is part of the filters where traps are held back', () => {
    const url = 'http://a.test/?PHPSESSID=0123456789abcdef0123'
    expect(loadFilters(defaults).accepts(url)).to.equal(true)
    const holding = loadFilters(configWith({ 'millrace.trap.action': 'hold' }).url)
    expect(holding.accepts(url)).to.equal(false)
    expect(holding.rejection(url)).to.include({ filter: 'trap', isError: false, reason: 'looks like a trap: session-id' })
  })

  it('explains what it holds back', () => {
    const watch = createTrapWatch(configWith({ 'millrace.trap.action': 'hold' }).url, new Counters())
    const url = 'http://a.test/a/a/a/'
    expect(watch.explain(url, { accepted: true, url, steps: [] })).to.deep.include({ accepted: false, url: null })
    expect(trapFilter(defaults).verdict(url)).to.nested.include({ accepted: false, 'by.rule': 'trap: repeated-segments' })
  })
})
