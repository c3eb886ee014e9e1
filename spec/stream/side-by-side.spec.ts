import { expect } from 'chai'
import { sideBySide } from '../../lib/stream/side-by-side.js'

/** A promise, and the ways to end it. */
function deferred(): { readonly promise: Promise<string>; readonly resolve: (value: string) => void; readonly reject: (error: Error) => void } {
  let [resolve, reject]: [(value: string) => void, (error: Error) => void] = [() => undefined, () => undefined]
  const promise = new Promise<string>((give, fail) => {
    resolve = give
    reject = fail
  })
  return { promise, resolve, reject }
}

describe('sideBySide', () => {
  it('begins no more than told at once, and gives results in the order of the items', async () => {
    const begun: number[] = []
    const works = Array.from({ length: 5 }, deferred)
    const results = sideBySide(
      works,
      async work => {
        begun.push(works.indexOf(work))
        return work.promise
      },
      2,
    )
    expect(begun).to.deep.equal([0, 1])
    for (const [index, work] of [...works.entries()].reverse()) work.resolve(`r${index}`)
    expect(await results).to.deep.equal(['r0', 'r1', 'r2', 'r3', 'r4'])
    expect(begun).to.deep.equal([0, 1, 2, 3, 4])
  })

  it('fails only once what was begun with it has ended, and begins no more', async () => {
    const [failing, other, later] = [deferred(), deferred(), deferred()]
    const events: string[] = []
    const whole = sideBySide(
      [failing, other, later],
      async work => {
        if (work === later) events.push('begun')
        return work.promise
      },
      2,
    ).catch(error => events.push((error as Error).message))
    failing.reject(new Error('no'))
    await Promise.resolve()
    other.promise.then(() => events.push('other ended')).catch(() => undefined)
    other.resolve('')
    await whole
    expect(events).to.deep.equal(['other ended', 'no'])
  })
})
