import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli, startCli } from '../support/cli.js'
import { crawlOptions } from '../support/crawled-folder.js'
import { startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('a crawl that finds a .STOP file', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()

  it('stops as by a signal, and leaves the file', async () => {
    const folder = newFolder()
    const crawl = join(folder, 'crawl')
    const running = startCli(['crawl', crawl, 'http://127.0.0.1:9/never', '--forever', ...crawlOptions(folder, ['millrace.metrics.port=0'])])
    await running.waitFor(/metrics/)
    writeFileSync(join(crawl, '.STOP'), '')
    const { status, stderr, stdout } = await running.result
    expect(status, stderr).to.equal(0)
    expect(JSON.parse(stdout)).to.include({ stoppedBy: 'signal' })
    expect(existsSync(join(crawl, '.STOP'))).to.equal(true)
    expect(stderr).to.include('stopped by a file').and.include(join(crawl, '.STOP'))
  })
})

describe('signals', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()

  for (const { what, names, limit, status } of [
    { what: 'SIGINT once', names: ['SIGINT'], limit: ['--forever'], status: 0 },
    { what: 'SIGTERM once', names: ['SIGTERM'], limit: ['--forever'], status: 0 },
    { what: 'SIGINT once', names: ['SIGINT'], limit: ['--rounds', '3'], status: 0 },
    { what: 'SIGINT twice', names: ['SIGINT', 'SIGINT'], limit: ['--forever'], status: 130 },
    { what: 'SIGINT twice', names: ['SIGINT', 'SIGINT'], limit: ['--rounds', '3'], status: 130 },
  ] as const) {
    it(`${what} ends a crawl ${limit.join(' ')} with ${status}, and the db is sound`, async () => {
      const hosts = ['127.0.0.1', '127.0.0.2']
      const server = await startServer({ hosts, routes: { '/slow': () => undefined, '127.0.0.2/fast': { body: '<a href="/next">l</a>' } } })
      const fast = `${server.origin('127.0.0.2')}/fast`
      const folder = newFolder()
      const crawl = join(folder, 'crawl')
      try {
        const running = startCli(['crawl', crawl, `${server.origin()}/slow`, fast, ...limit, ...crawlOptions(folder, ['millrace.grace=0.5'])])
        const isAsked = (path: string): boolean => server.requests.some(({ target }) => target === path)
        while (!isAsked('/slow') || !isAsked('/fast')) await new Promise(resolve => setImmediate(resolve))
        for (const name of names) {
          running.kill(name)
          await new Promise(resolve => setTimeout(resolve, 100))
        }
        const result = await running.result
        expect(result.status, result.stderr).to.equal(status)
        if (status === 0) {
          expect(result.json()[0]).to.include({ fetched: 1, urls: 3, stoppedBy: 'signal' })
          expect((await runCli(['readdb', crawl, '--url', fast])).stdout, 'what was fetched is merged').to.match(/^Status: 2 /m)
        }
        const checked = await runCli(['readdb', crawl, '--verify'])
        expect(checked.status, checked.stdout + checked.stderr).to.equal(0)
      } finally {
        await server.close()
      }
    })
  }
})
