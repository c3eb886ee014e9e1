import { expect } from 'chai'
import { Patience } from '../../lib/plugin/patience.js'
import { failureOf } from '../support/stream-probe.js'

describe('Patience', () => {
  it('gives the answer, at once or later, and what the plugin throws', async () => {
    const patience = new Patience(60_000)
    expect(await patience.answer(1)).to.equal(1)
    expect(await patience.answer(Promise.resolve(2))).to.equal(2)
    expect(await failureOf(patience.answer(Promise.reject(new Error('mine'))))).to.have.property('message', 'mine')
  })

  it('ends when no answer comes', async () => {
    const failure = await failureOf(new Patience(1).answer(new Promise(() => undefined)))
    expect(failure).to.have.property('message', 'gave no answer in 0.001 s (millrace.plugin.timeout)')
  })

  it('does not count the time in which the plugin waits for what it was lent', async () => {
    const patience = new Patience(1)
    const others = [new Patience(5), new Patience(10)] // timers that fire after its own would
    const answered = patience.answer(
      patience.lend(async () => {
        for (const other of others) await failureOf(other.answer(new Promise(() => undefined)))
        return 'lent'
      }),
    )
    expect(await answered).to.equal('lent')
  })
})
