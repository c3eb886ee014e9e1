import { expect } from 'chai'
import { explainLoading } from '../../pipelines/cli/loading-failure.js'
import { runShell } from '../support/shell.js'

describe('a program that may open too few files to be loaded', function () {
  this.timeout(20_000)

  for (const files of [24, 26, 30, 40])
    it(`${files}: says so in one line, ends with 3, and names no file of the program`, async function few() {
      const { status, stderr } = await runShell(`ulimit -n ${files} && millrace readdb no-such-crawl --stats`)
      if (stderr.includes('DB_MISSING')) this.skip() // enough: some versions of Node load with fewer
      expect(stderr).to.match(/^millrace\b.*: EMFILE: too many open files: the program cannot be loaded.*\n$/)
      expect(stderr).to.not.contain('.js')
      expect(status).to.equal(3)
    })

  it('leaves other errors what they are', () => {
    for (const error of [
      new Error('any'),
      Object.assign(new Error('no such package'), { code: 'ERR_MODULE_NOT_FOUND' }),
      Object.assign(new Error('too many'), { code: 'EMFILE', path: '/crawl/crawldb/000001.ldb' }),
    ])
      expect(explainLoading(error)).to.equal(error)
  })
})
