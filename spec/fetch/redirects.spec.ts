import { expect } from 'chai'
import { storedUrl } from '../../lib/record/url.js'
import { type FixedAnswer, type Route, type SpecServer, startServer } from '../support/server.js'
import { type FetchSetup, itemFor, setUpFetch } from './fetch-setup.js'

const to = (location: string, status = 302): FixedAnswer => ({ status, headers: { location } })

describe('redirects', () => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  const serve = async (routes: Readonly<Record<string, Route>>): Promise<SpecServer> => {
    const ofRobots = Object.fromEntries(Object.entries(routes).filter(([path]) => path.endsWith('robots.txt')))
    const server = await startServer({ hosts: ['127.0.0.1', '127.0.0.2'], routes: { ...ofRobots, '/robots.txt': { status: 404 }, ...routes } })
    closing.push(server.close)
    return server
  }
  const setUp = (...args: Parameters<typeof setUpFetch>): FetchSetup => {
    const setup = setUpFetch(...args)
    closing.push(() => setup.client.close())
    return setup
  }
  const asked = (server: SpecServer) => server.requests.map(({ target }) => target).filter(target => target !== '/robots.txt')

  for (const { status, kind, fetchStatus } of [
    { status: 301, kind: 'perm', fetchStatus: 'fetch_redir_perm' },
    { status: 302, kind: 'temp', fetchStatus: 'fetch_redir_temp' },
    { status: 303, kind: 'temp', fetchStatus: 'fetch_redir_temp' },
    { status: 307, kind: 'temp', fetchStatus: 'fetch_redir_temp' },
    { status: 308, kind: 'perm', fetchStatus: 'fetch_redir_perm' },
  ] as const)
    it(`${status} is ${kind}, and is followed`, async () => {
      const server = await serve({ '/a': to('b', status), '/b': { body: 'fine' } })
      const [a, b] = [`${server.origin()}/a`, `${server.origin()}/b`]
      const run = await setUp().fetch([itemFor(a, { score: 2.5, fetchIntervalS: 77, metadata: { seed: 'x', ETag: '"old"' } })])
      expect(run.outcome(a)).to.include({ status: fetchStatus, httpStatus: status })
      expect(run.outcome(a).redirect).to.deep.equal({ to: b, target: b, kind, via: 'location' })
      expect(run.outcome(b)).to.include({ status: 'fetch_success' })
      expect(run.outcome(b).datum).to.deep.include({ url: b, status: 'db_unfetched', score: 2.5, fetchIntervalS: 77, metadata: { seed: 'x' } })
      expect(run.pages.map(({ exchanges }) => exchanges.map(({ kind: what }) => what))).to.deep.equal([['page'], ['robots', 'redirect']])
    })

  it('are handed over after what they lead to: a kill in between leaves no redirect whose target nobody fetches', async () => {
    const server = await serve({ '/a': to('/b'), '/b': to('/c'), '/c': { body: 'fine' } })
    const run = await setUp().fetch([`${server.origin()}/a`])
    expect(run.pages.map(({ outcome }) => outcome.url.slice(-2))).to.deep.equal(['/c', '/b', '/a'])
  })

  it('are left to a later round when none are to be followed', async () => {
    const server = await serve({ '/a': to('/b'), '/b': { body: 'fine' } })
    const run = await setUp({ 'http.redirect.max': 0 }).fetch([`${server.origin()}/a`])
    expect(asked(server)).to.deep.equal(['/a'])
    expect(run.outcome(`${server.origin()}/a`).redirect).to.deep.include({ target: `${server.origin()}/b` })
  })

  it('to a URL of the list are left to the list', async () => {
    const server = await serve({ '/a': to('/b'), '/b': { body: 'fine' }, '/c': to('/d'), '/d': { body: 'fine' } })
    const b = `${server.origin()}/b`
    const run = await setUp({}, { isListed: url => url === b }).fetch([`${server.origin()}/a`, b, `${server.origin()}/c`])
    expect(asked(server).sort()).to.deep.equal(['/a', '/b', '/c', '/d'])
    expect(run.outcome(`${server.origin()}/a`).redirect).to.deep.include({ target: b })
    expect(run.outcome(`${server.origin()}/a`).redirect).to.not.have.property('dropped')
  })

  for (const skips of [false, true])
    it(`beyond the most are ${skips ? 'dropped' : 'left to a later round'}`, async () => {
      const server = await serve({ '/0': to('/1'), '/1': to('/2'), '/2': to('/3'), '/3': to('/4'), '/4': { body: 'fine' } })
      const run = await setUp({ 'http.redirect.max': 2, 'http.redirect.max.exceeded.skip': skips }).fetch([`${server.origin()}/0`])
      expect(asked(server)).to.deep.equal(['/0', '/1', '/2'])
      const last = run.outcome(`${server.origin()}/2`)
      expect(last.status).to.equal('fetch_redir_temp')
      expect(last.redirect).to.deep.include(skips ? { dropped: 'exceeded' } : { target: `${server.origin()}/3` })
      if (skips) expect(last.cause).to.match(/exceeded/)
    })

  it('in a circle end where it closes, also if it does not come back to the first', async () => {
    const server = await serve({ '/self': to('/self'), '/a': to('/b'), '/b': to('/c'), '/c': to('/b') })
    const run = await setUp().fetch([`${server.origin()}/self`, `${server.origin()}/a`])
    expect(asked(server).sort()).to.deep.equal(['/a', '/b', '/c', '/self'])
    const dropped = ['self', 'a', 'b', 'c'].map(path => run.outcome(`${server.origin()}/${path}`).redirect?.dropped)
    expect(dropped).to.deep.equal(['self', undefined, undefined, 'loop'])
  })

  it('back to the page for the sake of a cookie are followed where cookies are on', async () => {
    const server = await serve({
      '/self': (request, response) => {
        if (request.headers.cookie === 'k=1') response.end('in')
        else response.writeHead(302, { location: '/self', 'set-cookie': 'k=1; Path=/' }).end()
      },
    })
    const run = await setUp({ 'http.enable.cookie.header': true }).fetch([`${server.origin()}/self`])
    expect(asked(server)).to.deep.equal(['/self', '/self'])
    expect(run.pages).to.have.length(1)
    expect(run.outcome(`${server.origin()}/self`)).to.include({ status: 'fetch_success' })
    expect(run.pages[0]?.exchanges.map(({ kind }) => kind)).to.deep.equal(['robots', 'redirect', 'page'])
    const off = await setUp().fetch([`${server.origin()}/self`])
    expect(off.outcome(`${server.origin()}/self`).redirect).to.deep.include({ dropped: 'self' })
  })

  it('that set a new cookie each time come to an end', async () => {
    let count = 0
    const server = await serve({
      '/self': (_request, response) => void response.writeHead(302, { location: '/self', 'set-cookie': `k=${count++}` }).end(),
    })
    await setUp({ 'http.enable.cookie.header': true, 'http.redirect.max': 5 }).fetch([`${server.origin()}/self`])
    expect(asked(server)).to.have.length(6)
  })

  it('go through filters, robots.txt and the outlink length', async () => {
    const server = await serve({
      '127.0.0.2/robots.txt': { body: 'User-agent: *\nDisallow: /no' },
      '/filtered': to('/secret'),
      '/robots': (request, response) => void response.writeHead(302, { location: `http://127.0.0.2:${request.socket.localPort}/no` }).end(),
      '/*': { body: 'fine' },
    })
    const admitUrl = (url: string) => (url.includes('secret') ? { dropped: 'filtered' } : { url: storedUrl(url) })
    const run = await setUp({}, { admitUrl }).fetch([`${server.origin()}/filtered`, `${server.origin()}/robots`])
    expect(asked(server).sort()).to.deep.equal(['/filtered', '/robots'])
    expect(run.outcome(`${server.origin()}/filtered`).redirect).to.deep.include({ dropped: 'filtered' })
    expect(run.outcome(`${server.origin('127.0.0.2')}/no`).protocolStatus).to.equal('robots_denied')
  })

  it('wait for the delay of the host they lead to', async () => {
    const server = await serve({
      '127.0.0.1/away*': (request, response) =>
        void response.writeHead(302, { location: `http://127.0.0.2:${request.socket.localPort}${request.url}` }).end(),
      '/*': { body: 'fine' },
    })
    const delayMs = 80
    await setUp({ 'fetcher.server.delay': delayMs / 1000 }).fetch([1, 2, 3].map(index => `${server.origin()}/away${index}`))
    for (const host of ['127.0.0.1', '127.0.0.2']) {
      const requests = server.requests.filter(request => request.host === host).sort((a, b) => a.startMs - b.startMs)
      expect(requests).to.have.length(4)
      for (const [index, { startMs }] of requests.entries())
        if (index > 0) expect(startMs - (requests[index - 1]?.endMs ?? 0)).to.be.at.least(delayMs - 2)
    }
  })

  it('to one target are followed once in a run, by default', async () => {
    const server = await serve({ '/login': { body: 'who are you' }, '/*': to('/login') })
    const urls = [1, 2, 3].map(index => `${server.origin()}/${index}`)
    const run = await setUp().fetch(urls)
    expect(asked(server).filter(target => target === '/login')).to.have.length(1)
    expect(urls.filter(url => run.outcome(url).redirect?.dropped === 'recent')).to.have.length(2)
    await setUp({ 'fetcher.redirect.dedupcache.seconds': -1 }).fetch(urls)
    expect(asked(server).filter(target => target === '/login')).to.have.length(4)
  })

  it('keep the URL that represents both', async () => {
    const server = await serve({ '/': to('/welcome/start'), '/welcome/start': { body: 'fine' } })
    const run = await setUp().fetch([`${server.origin()}/`])
    expect(run.outcome(`${server.origin()}/welcome/start`).metadata._repr_).to.equal(`${server.origin()}/`)
  })

  it('in a Refresh header are noted on the page', async () => {
    const server = await serve({ '/a': { headers: { refresh: '1; url=/b' }, body: 'fine' }, '/c': { headers: { refresh: '30' } } })
    const run = await setUp().fetch([`${server.origin()}/a`, `${server.origin()}/c`])
    expect(run.outcome(`${server.origin()}/a`)).to.include({ status: 'fetch_success' })
    expect(run.outcome(`${server.origin()}/a`).redirect).to.deep.equal({
      to: `${server.origin()}/b`,
      target: `${server.origin()}/b`,
      kind: 'temp',
      via: 'refresh',
    })
    expect(run.outcome(`${server.origin()}/c`).redirect).to.equal(undefined)
    expect(asked(server).sort()).to.deep.equal(['/a', '/c'])
  })
})
