import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { QueueAudit } from '../../lib/explain/audit-politeness.js'
import { runCli, startCli } from '../support/cli.js'
import { runCommand } from '../support/run-command.js'
import { type Route, type ServedRequest, type SpecServer, startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

const hosts = { plain: '127.0.0.1', slow: '127.0.0.2', busy: '127.0.0.3', moved: '127.0.0.4' }
const optionMs = 150
const crawlDelayMs = 400
/** The server notices the end of a request a little later than the crawler, or sooner. */
const slackMs = 25

interface Asked {
  readonly limits: readonly string[]
  /** Of each host. */
  readonly pages: number
  readonly delayMs?: number
}

function argvOf(server: SpecServer, folder: string, { limits, pages, delayMs = optionMs }: Asked): string[] {
  const rules = join(folder, 'rules.txt')
  writeFileSync(rules, '+.\n')
  const seeds = Object.values(hosts).flatMap(host => Array.from({ length: pages }, (_, index) => `${server.origin(host)}/p${index + 1}`))
  const properties = [`fetcher.server.delay=${delayMs / 1000}`, 'http.agent.name=testbot', 'http.redirect.max=2', 'millrace.workers=0']
  const fixed = ['--rules', rules, '--allow-address', 'loopback', ...properties.flatMap(pair => ['-D', pair])]
  return ['crawl', join(folder, 'crawl'), ...seeds, ...limits, ...fixed]
}

/** Shortest gap that each host saw from the end of a request to the start of the next. */
function gapsSeen(requests: readonly ServedRequest[]): Map<string, number> {
  const gaps = new Map<string, number>()
  const ends = new Map<string, number>()
  for (const { host, startMs, endMs = Number.POSITIVE_INFINITY } of requests) {
    const before = ends.get(host)
    if (before !== undefined) gaps.set(host, Math.min(gaps.get(host) ?? Number.POSITIVE_INFINITY, startMs - before))
    ends.set(host, endMs)
  }
  return gaps
}

async function auditOf(folder: string): Promise<Map<string, QueueAudit>> {
  const result = await runCli(['politeness', join(folder, 'crawl'), '--json', '-D', `fetcher.server.delay=${optionMs / 1000}`])
  expect(result.status, result.stdout + result.stderr).to.equal(0)
  return new Map(result.records<QueueAudit>().map(({ key, value }) => [key, value]))
}

function robotsWithDelay(ms: number): Route {
  return { headers: { 'Content-Type': 'text/plain' }, body: `User-agent: *\nCrawl-delay: ${ms / 1000}\n` }
}

describe('politeness, by the log of the server', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let server: SpecServer
  let refusals = 0

  before(async () => {
    server = await startServer({
      hosts: Object.values(hosts),
      routes: {
        [`${hosts.slow}/robots.txt`]: robotsWithDelay(crawlDelayMs),
        '/robots.txt': { status: 404 },
        [`${hosts.busy}/p1`]: (_request, response) => {
          if (refusals++ === 0) response.writeHead(429, { 'retry-after': '1' }).end()
          else response.writeHead(200, { 'content-type': 'text/plain' }).end('at last')
        },
        [`${hosts.moved}/*`]: (request, response) => response.writeHead(302, { location: `${server.origin(hosts.plain)}/from${request.url}` }).end(),
        '/*': { headers: { 'Content-Type': 'text/html' }, body: 'a page' },
      },
    })
  })
  after(() => server.close())

  function expectPolite(requests: readonly ServedRequest[]): void {
    const seen = gapsSeen(requests)
    for (const host of [hosts.plain, hosts.busy, hosts.moved]) expect(seen.get(host), host).to.be.at.least(optionMs - slackMs)
    expect(seen.get(hosts.slow), hosts.slow).to.be.at.least(crawlDelayMs - slackMs)
  }

  for (const limits of [['--until-idle'], ['--rounds', '3']]) {
    it(`is what \`millrace politeness\` says of a crawl with ${limits[0]}`, async () => {
      const folder = newFolder()
      refusals = 0
      const first = server.requests.length
      const result = await runCli(argvOf(server, folder, { limits, pages: 4 }))
      expect(result.status, result.stderr).to.equal(0)
      const requests = server.requests.slice(first)
      expectPolite(requests)
      const audits = await auditOf(folder)
      expect([...audits.keys()].sort()).to.deep.equal(Object.values(hosts))
      for (const [host, { requests: count, robotsRequests, otherRequests, smallestGapMs, medianGapMs, violations, mostAtOnce }] of audits) {
        const own = requests.filter(request => request.host === host)
        expect({ count, robotsRequests, otherRequests, violations, mostAtOnce }, host).to.deep.equal({
          count: own.length,
          robotsRequests: 1,
          otherRequests: 0,
          violations: 0,
          mostAtOnce: 1,
        })
        expect(Math.abs((smallestGapMs ?? 0) - (gapsSeen(own).get(host) ?? 0)), host).to.be.below(slackMs)
        expect(medianGapMs, host).to.be.at.least(smallestGapMs ?? Number.POSITIVE_INFINITY)
      }
      const sources = (host: string): string[] => (audits.get(host)?.delays ?? []).filter(({ mostMs }) => mostMs > 0).map(({ source }) => source)
      expect(sources(hosts.plain)).to.deep.equal(['option'])
      expect(sources(hosts.slow)).to.deep.equal(['crawl-delay'])
      expect(sources(hosts.busy)).to.have.members(['option', 'retry-after'])
      expect(audits.get(hosts.busy)?.delays.find(({ source }) => source === 'retry-after')?.mostMs).to.equal(1000)
      expect(audits.get(hosts.slow)?.robotsAgeMs).to.be.at.least(crawlDelayMs)
    })
  }
})

describe('politeness of what is no page', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()

  for (const limits of [['--until-idle'], ['--rounds', '2']]) {
    it(`counts each request once by its kind, and goes by what the crawl allowed, with ${limits[0]}`, async () => {
      const slow: Route = (_request, response) => void setTimeout(() => response.end('slow'), 120)
      const server = await startServer({
        routes: {
          '/robots.txt': (request, response) => void response.end(`Sitemap: http://127.0.0.1:${request.socket.localPort}/sitemap.xml\n`),
          '/sitemap.xml': { headers: { 'Content-Type': 'application/xml' }, body: '<urlset/>' },
          '/*': slow,
        },
      })
      const folder = newFolder()
      writeFileSync(join(folder, 'rules.txt'), '+.\n')
      const seeds = [...Array.from({ length: 8 }, (_, index) => `${server.origin()}/p${index}`), 'http://10.0.0.1/', 'http://no-such-host.invalid/']
      const options = ['--rules', join(folder, 'rules.txt'), '--allow-address', 'loopback', '--sitemaps', 'once', '-D', 'millrace.workers=0']
      const delays = ['-D', 'fetcher.threads.per.queue=3', '-D', 'fetcher.server.min.delay=0.02', '-D', 'fetcher.queue.mode=byDomain']
      const crawled = await runCli(['crawl', join(folder, 'crawl'), ...seeds, ...limits, ...options, ...delays])
      expect(crawled.status, crawled.stderr).to.equal(0)
      const result = await runCli(['politeness', join(folder, 'crawl'), '--json'])
      expect(result.status, result.stdout + result.stderr).to.equal(0)
      const [audit, ...others] = result.records<QueueAudit>()
      expect(others, 'hosts that were never asked').to.deep.equal([])
      expect(audit?.key).to.equal('127.0.0.1')
      expect(audit?.value).to.include({ requests: 10, robotsRequests: 1, otherRequests: 1, violations: 0, mostAtOnce: 3 })
      expect(server.requests).to.have.length(10)
      await server.close()
    })
  }
})

describe('politeness over kills', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  const [delayMs, longerMs] = [1400, 2000]

  /** Kills the crawl when all hosts were asked for robots.txt, and when some were asked for their page, and starts it again at once. */
  async function expectKept(limits: readonly string[]): Promise<void> {
    const server = await startServer({
      hosts: Object.values(hosts),
      routes: { [`${hosts.slow}/robots.txt`]: robotsWithDelay(longerMs), '/robots.txt': { status: 404 }, '/*': { body: 'a page' } },
    })
    const folder = newFolder()
    const argv = argvOf(server, folder, { limits, pages: 1, delayMs })
    for (const { requestsBeforeKill, thenMs } of [
      { requestsBeforeKill: 4, thenMs: 100 },
      { requestsBeforeKill: 11, thenMs: 0 },
    ]) {
      const running = startCli(argv)
      while (server.requests.length < requestsBeforeKill) await wait(2)
      await wait(thenMs)
      running.kill('SIGKILL')
      await running.result
    }
    const last = await runCli(argv)
    await server.close()
    expect(last.status, last.stderr).to.equal(0)
    const seen = gapsSeen(server.requests)
    for (const host of Object.values(hosts)) expect(seen.get(host), host).to.be.at.least((host === hosts.slow ? longerMs : delayMs) - slackMs)
    expect([...(await auditOf(folder)).values()].map(({ violations }) => violations)).to.deep.equal([0, 0, 0, 0])
  }

  it('is kept where the crawl is started again at once, continuous or in rounds', async () => {
    await Promise.all([expectKept(['--until-idle']), expectKept(['--rounds', '3'])])
  })
})

describe('millrace politeness', () => {
  const newFolder = useTempFolders()

  function crawlWith(gapMs: number): string {
    const folder = newFolder()
    const segment = join(folder, 'segments', '20260131000000')
    mkdirSync(segment, { recursive: true })
    const startMs = Date.UTC(2026, 0, 31)
    const outcomes = [0, 100 + gapMs].map((atMs, index) => {
      const url = `http://a.example/${index}`
      const datum = { status: 'db_unfetched', fetchTimeMs: 0, modifiedTimeMs: 0, retries: 0, fetchIntervalS: 1, score: 1, metadata: {} }
      const timing = { startMs: startMs + atMs, endMs: startMs + atMs + 100 }
      const facts = { queueDelayMs: index * 5000, delaySource: 'option', robotsFetchedMs: startMs - 1000 }
      return `${url}\t${JSON.stringify({ status: 'fetch_success', protocolStatus: 'success', timing, ...facts, metadata: {}, datum })}\n`
    })
    writeFileSync(join(segment, 'crawl_fetch.ndjson'), outcomes.join(''))
    return folder
  }

  it('exits with 4 and names the request where a host was asked too soon', async () => {
    const { status, stdout, log } = await runCommand(['politeness', crawlWith(4990)])
    expect(status).to.equal(4)
    expect(stdout.split('\n')).to.deep.equal([
      'queue\trequests\trobots.txt\tother\tsmallest gap\tmedian gap\tat once\tdelay due\trobots.txt of\tits age\tviolations',
      'a.example\t2\t0\t0\t4.99 s\t4.99 s\t1\toption 0-5 s\t2026-01-30T23:59:59.000Z\t6.09 s\t1',
      '',
    ])
    expect(log.filter(line => line.includes('http://a.example/1'))).to.have.length(1)
  })

  it('exits with 0 where every delay was kept, and with 1 where nothing was asked', async () => {
    expect((await runCommand(['politeness', crawlWith(5000)])).status).to.equal(0)
    expect((await runCommand(['politeness', newFolder()])).status).to.equal(1)
  })
})
