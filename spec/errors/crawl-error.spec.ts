import { expect } from 'chai'
import { CrawlError, isCrawlError, messageOf, systemCodeOf } from '../../lib/errors/crawl-error.js'

const systemError = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' })

describe('CrawlError', () => {
  it('carries code, message and cause, and is known by its code', () => {
    const error = new CrawlError('LINE_INVALID', 'seeds.txt:3: no URL', { cause: systemError })
    expect(error)
      .to.be.instanceOf(Error)
      .and.include({ name: 'CrawlError', code: 'LINE_INVALID', message: 'seeds.txt:3: no URL', cause: systemError })
    expect([isCrawlError(error), isCrawlError(error, 'LINE_INVALID'), isCrawlError(error, 'USAGE'), isCrawlError(systemError)]).to.deep.equal([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('systemCodeOf', () => {
  for (const { error, code } of [
    { error: systemError, code: 'ENOENT' },
    { error: new Error('x'), code: undefined },
    { error: Object.assign(new Error('x'), { code: 7 }), code: undefined },
    { error: { code: 'ENOENT' }, code: undefined },
    { error: undefined, code: undefined },
  ]) {
    it(`of ${error instanceof Error ? error.message : JSON.stringify(error)} is ${code}`, () => {
      expect(systemCodeOf(error)).to.equal(code)
    })
  }
})

describe('messageOf', () => {
  for (const { error, message } of [
    { error: new Error('a'), message: 'a' },
    { error: new Error('a', { cause: new Error('b', { cause: 'c' }) }), message: 'a: b: c' },
    {
      error: new Error('x is held: by process 7', { cause: new Error('x is held', { cause: new Error('LOCK') }) }),
      message: 'x is held: by process 7: LOCK',
    },
    { error: new Error('f cannot be read: ENOENT, open f', { cause: new Error('ENOENT, open f') }), message: 'f cannot be read: ENOENT, open f' },
    { error: new TypeError(''), message: 'TypeError' },
    { error: new AggregateError([new Error('a'), new Error('b')]), message: 'a, b' },
    { error: 'text', message: 'text' },
    { error: undefined, message: 'undefined' },
  ]) {
    it(`is ${message}`, () => {
      expect(messageOf(error)).to.equal(message)
    })
  }

  it('goes eight causes deep', () => {
    let error = new Error('9')
    for (let n = 8; n >= 0; n--) error = new Error(String(n), { cause: error })
    expect(messageOf(error)).to.equal('0: 1: 2: 3: 4: 5: 6: 7: 8')
  })

  it('ends for an error that is its own cause', () => {
    const circle: Error = new Error('round')
    circle.cause = circle
    expect(messageOf(circle)).to.equal('round')
  })
})
