import { expect } from 'chai'
import { clockStartingAt, ManualClock, systemClock } from '../../lib/log/clock.js'

describe('clocks', () => {
  it('the system clock tells the time of the machine', () => {
    const beforeMs = Date.now()
    expect(systemClock.nowMs()).to.be.within(beforeMs, Date.now())
  })

  it('a clock set with --now says so when first asked, however late that is, and runs on in whole milliseconds, never back', () => {
    const startMs = Date.UTC(2020, 0, 1)
    const clock = clockStartingAt(startMs)
    const madeAtMs = performance.now()
    while (performance.now() - madeAtMs < 20);
    let lastMs = clock.nowMs()
    expect(lastMs).to.equal(startMs)
    const beganAtMs = performance.now()
    while (performance.now() - beganAtMs < 20) {
      const nowMs = clock.nowMs()
      expect(nowMs).to.be.at.least(lastMs)
      expect(Number.isInteger(nowMs)).to.equal(true)
      lastMs = nowMs
    }
    expect(clock.nowMs() - startMs).to.be.within(20, 10_000)
  })

  it('a manual clock moves only when told to', () => {
    const clock = new ManualClock(1000)
    expect(clock.nowMs()).to.equal(1000)
    clock.advance(500)
    expect(clock.nowMs()).to.equal(1500)
    clock.set(7)
    expect(clock.nowMs()).to.equal(7)
  })
})
