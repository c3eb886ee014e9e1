import { expect } from 'chai'
import { clockStartingAt, ManualClock, machineOffsetMs, steadyClock, systemClock } from '../../lib/log/clock.js'

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

  it('a steady clock follows the machine, and goes on at its pace where that is set or has slept', () => {
    const machine = new ManualClock(50_000)
    let tickMs = 0
    const clock = steadyClock(machine, () => tickMs)
    for (const { machineMs, passedMs, nowMs, what } of [
      { machineMs: 50_000, passedMs: 0, nowMs: 50_000, what: 'at first' },
      { machineMs: 51_000, passedMs: 1000, nowMs: 51_000, what: 'a second later' },
      { machineMs: 52_900, passedMs: 2000, nowMs: 52_900, what: 'a machine whose clock runs fast is followed' },
      { machineMs: 3000, passedMs: 100, nowMs: 53_000, what: 'set back' },
      { machineMs: 3500, passedMs: 500, nowMs: 53_500, what: 'half a second later' },
      { machineMs: 9_003_600, passedMs: 100, nowMs: 53_600, what: 'set far ahead' },
      { machineMs: 9_004_600, passedMs: 1000, nowMs: 54_600, what: 'a second later' },
    ]) {
      machine.set(machineMs)
      tickMs += passedMs
      expect(clock.nowMs(), what).to.equal(nowMs)
    }
  })

  it('the offset to the machine is told only where a clock was set', () => {
    expect(machineOffsetMs(steadyClock())).to.equal(0)
    expect(machineOffsetMs(new ManualClock(Date.now() - 60_000))).to.be.within(59_000, 61_000)
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
