import { expect } from 'chai'
import { ManualClock } from '../../lib/log/clock.js'
import { specTimeMs } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { type Route, startServer } from '../support/server.js'
import { acceptAll, jsonLinesOf } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

const whole = `<title>whole</title>${'text '.repeat(400)}<a href="/next">next</a>`
const part = whole.slice(0, 900)
const validators = { etag: '"v1"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }

/** Answers the first request with a part, a conditional one with 304, others with the whole. */
function partAtFirst(answerPart: Extract<Route, (...args: never[]) => unknown>): Route {
  let requests = 0
  return (request, response) => {
    if (requests++ === 0) return answerPart(request, response)
    const isConditional = request.headers['if-none-match'] !== undefined || request.headers['if-modified-since'] !== undefined
    response.writeHead(isConditional ? 304 : 200, { 'content-type': 'text/html', ...validators }).end(isConditional ? undefined : whole)
  }
}

// Asked only whether it had changed, a page of which a part had come stayed a part for good.
describe('a page of which only a part came', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()

  for (const { what, route } of [
    {
      what: 'whose connection was closed within the body',
      route: () =>
        partAtFirst((_request, response) => {
          response.writeHead(200, { 'content-type': 'text/html', 'content-length': whole.length, ...validators })
          response.write(part, () => response.destroy())
        }),
    },
    {
      what: 'that came as 206, though no range was asked for',
      route: () =>
        partAtFirst((_request, response) => {
          const range = `bytes 0-${part.length - 1}/${whole.length}`
          response.writeHead(206, { 'content-type': 'text/html', 'content-range': range, ...validators }).end(part)
        }),
    },
  ])
    for (const isParsed of [true, false]) {
      it(`${what} is asked for in full the next time (${isParsed ? 'parsed' : 'not parsed'} at first)`, async () => {
        const server = await startServer({ routes: { '/robots.txt': { status: 404 }, '/page': route(), '/next': { body: 'next' } } })
        try {
          const folder = newFolder()
          const args = ['--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', '-D', `parser.skip.truncated=${!isParsed}`, ...acceptAll]
          const crawl = (days: number) =>
            runCommand(['crawl', folder, `${server.origin()}/page`, '--rounds', '1', ...args], {
              clock: new ManualClock(specTimeMs + days * 86_400_000),
            })
          await crawl(0)
          await crawl(31)
          const records = jsonLinesOf(await runCommand(['readdb', folder, '--dump', '--format', 'json']))
          const found = Object.fromEntries(records.map(({ url, statusName }) => [new URL(String(url)).pathname, statusName]))
          expect(found).to.deep.equal({ '/page': 'db_fetched', '/next': 'db_unfetched' })
          await crawl(62)
          const asked = server.requests.filter(({ target }) => target === '/page').map(({ headers }) => headers['if-none-match'])
          expect(asked).to.deep.equal([undefined, undefined, '"v1"'])
        } finally {
          await server.close()
        }
      })
    }
})
