import { expect } from 'chai'
import { Counters } from '../../lib/log/counters.js'

describe('Counters', () => {
  it('count from zero, by one or by more', () => {
    const counters = new Counters()
    expect(counters.get('inject/new')).to.equal(0)
    counters.add('inject/new')
    counters.add('inject/new', 4)
    expect(counters.get('inject/new')).to.equal(5)
  })

  it('add up the counts of a worker', () => {
    const counters = new Counters()
    counters.add('a', 1)
    counters.merge({ a: 2, b: 3 })
    expect(counters.toJSON()).to.deep.equal({ a: 3, b: 3 })
  })

  it('print in a fixed order, whatever came first', () => {
    const counters = new Counters()
    for (const name of ['fetch/b', 'Z', 'fetch/a', 'fetch-c']) counters.add(name)
    expect(JSON.stringify(counters)).to.equal('{"Z":1,"fetch-c":1,"fetch/a":1,"fetch/b":1}')
  })
})
