import { expect } from 'chai'
import type { RobotsSeen } from '../../lib/fetch/page-fetcher.js'
import { ManualClock } from '../../lib/log/clock.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { type Route, type SpecServer, startServer } from '../support/server.js'
import { type FetchSetup, setUpFetch } from './fetch-setup.js'

const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
const robots = (text: string): Route => ({ headers: { 'content-type': 'text/plain' }, body: text })

describe('robots.txt, fetched', () => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  const serve = async (routes: Readonly<Record<string, Route>>): Promise<SpecServer> => {
    const server = await startServer({ hosts, routes })
    closing.push(server.close)
    return server
  }
  const setUp = (...args: Parameters<typeof setUpFetch>): FetchSetup => {
    const setup = setUpFetch(...args)
    closing.push(() => setup.client.close())
    return setup
  }
  const targets = (server: SpecServer, host?: string) =>
    server.requests.filter(request => host === undefined || request.host === host).map(({ target }) => target)

  it('is asked for once for each origin, before its pages, and goes out to be stored', async () => {
    const server = await serve({ '/robots.txt': robots('User-agent: *\nDisallow: /no'), '/*': { body: 'fine' } })
    const urls = ['a', 'b', 'no/c'].map(path => `${server.origin()}/${path}`)
    const run = await setUp({ 'fetcher.threads.per.queue': 3 }).fetch(urls)
    expect(targets(server)[0]).to.equal('/robots.txt')
    expect(targets(server).sort()).to.deep.equal(['/a', '/b', '/robots.txt'])
    expect(run.outcome(`${server.origin()}/no/c`)).to.include({ status: 'fetch_gone', protocolStatus: 'robots_denied', causeClass: 'robots' })
    expect(run.outcome(`${server.origin()}/no/c`).cause).to.match(/line 2: Disallow: \/no/)
    expect(run.pages.flatMap(({ exchanges }) => exchanges.map(({ kind }) => kind)).sort()).to.deep.equal(['page', 'page', 'robots'])
    expect(run.pages.every(({ outcome }) => (outcome.robotsFetchedMs ?? 0) > 0)).to.equal(true)
  })

  it('is followed across hosts, and counts for the host that was asked', async () => {
    const server = await serve({
      '127.0.0.1/robots.txt': (request, response) =>
        void response.writeHead(301, { location: `http://127.0.0.2:${request.socket.localPort}/moved.txt` }).end(),
      '127.0.0.2/moved.txt': robots('User-agent: *\nDisallow: /x'),
      '/*': { body: 'fine' },
    })
    const run = await setUp().fetch([`${server.origin()}/x`])
    expect(run.outcome(`${server.origin()}/x`).protocolStatus).to.equal('robots_denied')
    expect(targets(server)).to.deep.equal(['/robots.txt', '/moved.txt'])
  })

  for (const { redirects, allowed } of [
    { redirects: 5, allowed: true },
    { redirects: 6, allowed: false },
  ])
    it(`is ${allowed ? '' : 'not '}reached over ${redirects} redirects`, async () => {
      const server = await serve({
        '/robots.txt': (_request, response) => void response.writeHead(302, { location: '/r?1' }).end(),
        [`/r?${redirects}`]: robots('User-agent: *\nAllow: /'),
        '/r?*': (request, response) => void response.writeHead(302, { location: `/r?${Number(request.url?.slice(3)) + 1}` }).end(),
        '/*': { body: 'fine' },
      })
      const run = await setUp().fetch([`${server.origin()}/x`])
      expect(run.outcome(`${server.origin()}/x`).status).to.equal(allowed ? 'fetch_success' : 'fetch_retry')
      expect(targets(server).includes('/x')).to.equal(allowed)
    })

  it('that redirects in a circle, or to nowhere, ends as unreachable', async () => {
    for (const location of ['/robots.txt', '', 'ftp://h/robots.txt', 'http://[']) {
      const server = await serve({ '/robots.txt': { status: 302, headers: location === '' ? {} : { location } }, '/*': { body: 'fine' } })
      const run = await setUp().fetch([`${server.origin()}/x`])
      expect(run.outcome(`${server.origin()}/x`), location).to.include({ status: 'fetch_retry', causeClass: 'robots' })
      expect(targets(server)).to.not.include('/x')
    }
  })

  describeCorpus('by its status', () => {
    for (const { status, allowed } of readCorpus<{ status: number; allowed: boolean }>('robots/status.json')?.cases ?? [])
      it(`${status} ${allowed ? 'allows everything' : 'forbids everything for a while'}`, async () => {
        const server = await serve({ '/robots.txt': { status }, '/*': { body: 'fine' } })
        const run = await setUp({ 'fetcher.exceptions.per.queue.delay': 0 }).fetch([`${server.origin()}/x`])
        expect(run.outcome(`${server.origin()}/x`).status).to.equal(allowed ? 'fetch_success' : 'fetch_retry')
        expect(targets(server).includes('/x')).to.equal(allowed)
      })
  })

  it('that a proxy wants a password for forbids everything for a while: the site has said nothing', async () => {
    const server = await serve({ '*': { status: 407, headers: { 'proxy-authenticate': 'Basic' } } })
    const url = 'http://a.example/x'
    const run = await setUp({ 'http.proxy.host': '127.0.0.1', 'http.proxy.port': server.port }).fetch([url])
    expect(run.outcome(url)).to.include({ status: 'fetch_retry', causeClass: 'proxy' })
    expect(server.requests.map(({ target }) => target)).to.deep.equal(['http://a.example/robots.txt'])
  })

  it('that is forbidden itself forbids everything, by option', async () => {
    const server = await serve({ '/robots.txt': { status: 403 }, '/*': { body: 'fine' } })
    const run = await setUp({ 'http.robots.403.allow': false }).fetch([`${server.origin()}/x`])
    const { protocolStatus, cause } = run.outcome(`${server.origin()}/x`)
    expect({ protocolStatus, cause }).to.deep.equal({ protocolStatus: 'robots_denied', cause: 'denied by robots.txt, it answered 401 or 403' })
  })

  it('that cannot be had is taken for absent, by option', async () => {
    const server = await serve({ '/robots.txt': { status: 500 }, '/*': { body: 'fine' } })
    const run = await setUp({ 'http.robots.503.defer.visits': false }).fetch([`${server.origin()}/x`])
    expect(run.outcome(`${server.origin()}/x`).status).to.equal('fetch_success')
  })

  it('is asked for again when it expires; an old copy stands while a new one cannot be had', async () => {
    let status = 200
    const server = await serve({
      '/robots.txt': (_request, response) => void response.writeHead(status, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /no'),
      '/*': { body: 'fine' },
    })
    const clock = new ManualClock(1_000_000)
    const setup = setUp({ 'http.robots.cache.ttl': 3600, 'fetcher.exceptions.per.queue.delay': 0 }, { clock })
    const [yes, no] = [`${server.origin()}/yes`, `${server.origin()}/no`]
    await setup.fetch([yes])
    clock.advance(3_500_000)
    await setup.fetch([yes])
    expect(targets(server).filter(target => target === '/robots.txt')).to.have.length(1)
    clock.advance(200_000)
    status = 500
    const again = await setup.fetch([yes, no])
    expect(targets(server).filter(target => target === '/robots.txt')).to.have.length(2)
    expect([again.outcome(yes).status, again.outcome(no).protocolStatus]).to.deep.equal(['fetch_success', 'robots_denied'])
    expect(again.outcome(yes).robotsFetchedMs).to.equal(1_000_000)
    clock.advance(300_001)
    status = 200
    await setup.fetch([yes])
    expect(targets(server).filter(target => target === '/robots.txt')).to.have.length(3)
  })

  it('that was unreachable says when it is asked for again', async () => {
    const server = await serve({ '/robots.txt': { status: 502 }, '/*': { body: 'fine' } })
    const clock = new ManualClock(Date.UTC(2026, 0, 1))
    const setup = setUp({ 'fetcher.exceptions.per.queue.delay': 0 }, { clock })
    const run = await setup.fetch([`${server.origin()}/x`, `${server.origin()}/y`])
    expect(targets(server)).to.deep.equal(['/robots.txt'])
    expect(run.outcome(`${server.origin()}/y`).cause).to.equal('robots.txt answered 502; not asked again before 2026-01-01T00:05:00.000Z')
  })

  it('that is unreachable holds its queue and is asked for again, by option', async () => {
    let asked = 0
    const server = await serve({
      '/robots.txt': (_request, response) => {
        asked += 1
        response.writeHead(asked < 3 ? 500 : 404).end()
      },
      '/*': { body: 'fine' },
    })
    const urls = [`${server.origin()}/x`, `${server.origin()}/y`]
    const deferring = { 'http.robots.503.defer.visits.delay': 50, 'http.robots.503.defer.visits.retries': 3 }
    const run = await setUp({ ...deferring, 'fetcher.exceptions.per.queue.delay': 0 }).fetch(urls)
    expect(urls.map(url => run.outcome(url).status)).to.deep.equal(['fetch_success', 'fetch_success'])
    expect(targets(server).slice(0, 3)).to.deep.equal(['/robots.txt', '/robots.txt', '/robots.txt'])
    expect(targets(server).slice(3).sort()).to.deep.equal(['/x', '/y'])
  })

  it('is not asked for on hosts that are exempt', async () => {
    const server = await serve({ '/robots.txt': robots('User-agent: *\nDisallow: /'), '/*': { body: 'fine' } })
    const run = await setUp({ 'http.robot.rules.allowlist': '127.0.0.2' }).fetch([`${server.origin()}/x`, `${server.origin('127.0.0.2')}/x`])
    expect(run.outcome(`${server.origin()}/x`).protocolStatus).to.equal('robots_denied')
    expect(run.outcome(`${server.origin('127.0.0.2')}/x`).status).to.equal('fetch_success')
    expect(targets(server, '127.0.0.2')).to.deep.equal(['/x'])
  })

  it('with a Crawl-delay beyond the limit makes its pages be skipped', async () => {
    const server = await serve({ '/robots.txt': robots('User-agent: *\nCrawl-delay: 60'), '/*': { body: 'fine' } })
    const run = await setUp().fetch([`${server.origin()}/x`])
    expect(run.outcome(`${server.origin()}/x`)).to.include({ status: 'fetch_gone', protocolStatus: 'robots_denied' })
    expect(run.outcome(`${server.origin()}/x`).cause).to.match(/60 s/)
  })

  it('hands its sitemaps on', async () => {
    const server = await serve({ '/robots.txt': robots('Sitemap: http://h/s.xml\nSitemap: /t.xml'), '/*': { body: 'fine' } })
    const seen: RobotsSeen[] = []
    await setUp({}, { onRobots: found => void seen.push(found) }).fetch([`${server.origin()}/x`])
    expect(seen.map(({ origin, sitemaps }) => ({ origin, sitemaps }))).to.deep.equal([
      { origin: server.origin(), sitemaps: ['http://h/s.xml', '/t.xml'] },
    ])
  })

  it('never ends, and is read up to 500 KiB', async () => {
    const server = await serve({
      '/robots.txt': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' })
        response.write('User-agent: *\nDisallow: /no\n')
        const pour = setInterval(() => response.write('# nothing\n'.repeat(5000)), 1)
        response.once('close', () => clearInterval(pour))
      },
      '/*': { body: 'fine' },
    })
    const [yes, no] = [`${server.origin()}/yes`, `${server.origin()}/no`]
    const run = await setUp().fetch([yes, no])
    expect([run.outcome(yes).status, run.outcome(no).protocolStatus]).to.deep.equal(['fetch_success', 'robots_denied'])
    expect(run.pages.flatMap(({ exchanges }) => exchanges).find(({ kind }) => kind === 'robots')?.body.length).to.equal(512_001)
  })

  it('that comes in part, or leads where nobody may go, forbids everything for a while', async () => {
    const part: Route = { status: 206, headers: { 'content-range': 'bytes 0-12/100' }, body: 'User-agent: *' }
    for (const [route, cause] of [
      [part, /in part/],
      [{ status: 302, headers: { location: 'http://10.0.0.1/robots.txt' } }, /10\.0\.0\.1 private address/],
    ] as const) {
      const server = await serve({ '/robots.txt': route, '/*': { body: 'fine' } })
      const run = await setUp().fetch([`${server.origin()}/x`])
      const outcome = run.outcome(`${server.origin()}/x`)
      expect(outcome).to.include({ status: 'fetch_retry', causeClass: 'robots' })
      expect(outcome.cause).to.match(cause)
    }
  })

  it('that breaks off or never comes forbids everything for a while', async () => {
    const breaksOff: Route = (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('User-agent: *\nDisallow:\n')
      setTimeout(() => response.destroy(), 20)
    }
    const neverComes: Route = () => undefined
    for (const [route, causeClass] of [
      [breaksOff, 'disconnect'],
      [neverComes, 'timeout'],
    ] as const) {
      const server = await serve({ '/robots.txt': route, '/*': { body: 'fine' } })
      const run = await setUp({ 'http.timeout': 300 }).fetch([`${server.origin()}/x`])
      expect(run.outcome(`${server.origin()}/x`)).to.include({ status: 'fetch_retry', causeClass })
      expect(targets(server)).to.deep.equal(['/robots.txt'])
    }
  })
})
