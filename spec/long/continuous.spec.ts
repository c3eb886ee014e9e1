import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import {
  commandOf,
  continuousCommand,
  crawlToEnd,
  dumpDb,
  expectFewRepeats,
  killContinuously,
  outcomeCounts,
  replay,
} from '../support/continuous-crawl.js'
import { randomNumbers } from '../support/kill.js'
import { startKillSite } from '../support/kill-crawl.js'
import { startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('a continuous crawl, for long', () => {
  const newFolder = useTempFolders()

  it('that is killed 500 times loses no page and doubles none', async () => {
    const site = await startKillSite(80)
    const random = randomNumbers(Date.now())
    const folder = newFolder()
    const beginMs = performance.now()
    const totals = await crawlToEnd(continuousCommand(folder, site))
    const processMs = performance.now() - beginMs
    const counts = site.requestCounts()
    const { records } = await dumpDb(join(folder, 'crawl'))
    let kills = 0
    while (kills < 500) {
      site.forget()
      const killed = newFolder()
      const { delays, totals: end } = await killContinuously(continuousCommand(killed, site), 2 + Math.floor(random() * 12), processMs, random)
      kills += delays.length
      const title = `killed after ${delays.join(', ')} ms`
      expect(end, title).to.include({ fetched: totals.fetched, urls: totals.urls })
      const after = await dumpDb(join(killed, 'crawl'))
      expect(after.records, title).to.deep.equal(records)
      expect(new Set(outcomeCounts(join(killed, 'crawl')).values()), title).to.deep.equal(new Set([1]))
      expectFewRepeats(site, counts, delays.length, title)
      expect((await replay(join(killed, 'crawl'), newFolder(), site)).scores, title).to.deep.equal(after.scores)
    }
    await site.server.close()
  })

  it('has the pages of 100 fast hosts at least 5 times sooner than rounds, beside 10 very slow ones', async () => {
    const fast = Array.from({ length: 100 }, (_, index) => `127.0.1.${index + 1}`)
    const slow = Array.from({ length: 10 }, (_, index) => `127.0.2.${index + 1}`)
    const depth = 6
    const server = await startServer({
      hosts: [...fast, ...slow],
      routes: {
        '/robots.txt': { status: 404 },
        '/d*': async (request, response) => {
          const level = Number(request.url?.slice(2))
          if (request.headers.host?.startsWith('127.0.2.')) await wait(20_000)
          response.writeHead(200, { 'content-type': 'text/html' }).end(level < depth ? `<a href="/d${level + 1}">deeper</a>` : '')
        },
      },
    })
    const seeds = [...fast, ...slow].map(host => `${server.origin(host)}/d1`)
    const site = { server, seeds, requestCounts: () => new Map<string, number>(), forget: () => undefined }
    const fastPagesMs = async (limits: readonly string[]): Promise<number> => {
      const first = server.requests.length
      await crawlToEnd([...commandOf(newFolder(), site, limits), '-D', 'http.timeout=60000', '-D', 'fetcher.threads.fetch=50'])
      const own = server.requests.slice(first).filter(({ host, target }) => host.startsWith('127.0.1.') && target !== '/robots.txt')
      expect(own).to.have.length(fast.length * depth)
      const firstMs = server.requests[first]?.startMs ?? 0
      return Math.max(...own.map(({ endMs }) => endMs ?? Number.POSITIVE_INFINITY)) - firstMs
    }
    const continuousMs = await fastPagesMs(['--until-idle'])
    const roundsMs = await fastPagesMs(['--rounds', String(depth)])
    await server.close()
    expect(roundsMs / continuousMs, `rounds ${roundsMs} ms, continuous ${continuousMs} ms`).to.be.at.least(5)
  })
})
