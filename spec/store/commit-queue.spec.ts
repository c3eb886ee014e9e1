import { expect } from 'chai'
import { CommitQueue } from '../../lib/store/commit-queue.js'

describe('CommitQueue', () => {
  it('runs one task at a time, in the order given', async () => {
    const queue = new CommitQueue()
    const log: string[] = []
    const task = (name: string, turns: number) => async () => {
      log.push(`${name} begins`)
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      log.push(`${name} ends`)
      return name
    }
    const results = await Promise.all([queue.run(task('a', 30)), queue.run(task('b', 1)), queue.run(task('c', 10))])
    expect(results).to.deep.equal(['a', 'b', 'c'])
    expect(log).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('hands a failure to its caller and goes on with the next', async () => {
    const queue = new CommitQueue()
    const failing = queue.run(() => Promise.reject(new Error('no')))
    const next = queue.run(() => Promise.resolve('yes'))
    expect(await failing.catch(error => (error as Error).message)).to.equal('no')
    expect(await next).to.equal('yes')
  })

  it('is drained when all tasks have ended, also failed ones', async () => {
    const queue = new CommitQueue()
    let ended = 0
    for (const fails of [true, false, true]) {
      queue
        .run(async () => {
          await Promise.resolve()
          ended++
          if (fails) throw new Error('no')
        })
        .catch(() => undefined)
    }
    await queue.drained()
    expect(ended).to.equal(3)
  })
})
