import { join } from 'node:path'
import { expect } from 'chai'
import { runCli, startCli } from '../support/cli.js'
import { crawlOptions } from '../support/crawled-folder.js'
import { startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

const pages = 8
const delayMs = 200
const hourMs = 3_600_000

/** A module that sets the process's clock by so much when it gets SIGUSR2. */
function clockThatIsSet(byMs: number): string {
  const text = `const now = Date.now; process.on('SIGUSR2', () => { Date.now = () => now() + ${byMs} })`
  return `data:text/javascript,${encodeURIComponent(text)}`
}

describe('a crawl whose clock is set while it runs', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()

  for (const { what, byMs } of [
    { what: 'back by a year', byMs: -365 * 24 * hourMs },
    { what: 'forward by an hour', byMs: hourMs },
  ]) {
    it(`${what} keeps its delays, waits for nothing else, and fetches each page once`, async () => {
      const links = Array.from({ length: pages }, (_, index) => `<a href="/p${index + 1}">l</a>`).join('')
      const server = await startServer({ routes: { '/robots.txt': { status: 404 }, '/p*': { body: links } } })
      const asked = () => server.requests.filter(({ target }) => target !== '/robots.txt')
      const folder = newFolder()
      const options = crawlOptions(folder, [`fetcher.server.delay=${delayMs / 1000}`])
      try {
        const argv = ['crawl', join(folder, 'crawl'), `${server.origin()}/p1`, '--until-idle', ...options]
        const running = startCli(argv, { nodeArgs: ['--import', clockThatIsSet(byMs)] })
        while (asked().length < 3) await new Promise(resolve => setImmediate(resolve))
        running.kill('SIGUSR2')
        const { status, stderr } = await running.result
        expect(status, stderr).to.equal(0)
        expect(
          asked()
            .map(({ target }) => target)
            .sort(),
        ).to.deep.equal(Array.from({ length: pages }, (_, index) => `/p${index + 1}`))
        const gaps = asked().map(({ startMs }, index, all) => startMs - (all[index - 1]?.startMs ?? Number.NEGATIVE_INFINITY))
        expect(Math.min(...gaps)).to.be.at.least(delayMs - 5)
        expect((await runCli(['doctor', join(folder, 'crawl')])).status).to.equal(0)
      } finally {
        await server.close()
      }
    })
  }
})
