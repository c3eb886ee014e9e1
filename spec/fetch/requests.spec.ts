import { expect } from 'chai'
import type { DbDatum } from '../../lib/record/records.js'
import { type Route, type ServedRequest, type SpecServer, startServer } from '../support/server.js'
import { type FetchSetup, itemFor, setUpFetch } from './fetch-setup.js'

describe('requests', () => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  const serve = async (routes: Readonly<Record<string, Route>> = {}): Promise<SpecServer> => {
    const server = await startServer({
      hosts: ['127.0.0.1', '127.0.0.2'],
      routes: { '/robots.txt': { status: 404 }, ...routes, '/*': { body: 'fine' } },
    })
    closing.push(server.close)
    return server
  }
  const setUp = (...args: Parameters<typeof setUpFetch>): FetchSetup => {
    const setup = setUpFetch(...args)
    closing.push(() => setup.client.close())
    return setup
  }
  const requestFor = (server: SpecServer, target: string): ServedRequest =>
    server.requests.find(request => request.target === target) as ServedRequest

  it('say who asks, and what can be read', async () => {
    const server = await serve()
    await setUp({ 'http.agent.name': 'bot', 'http.agent.version': '1', 'http.agent.email': 'a@b.example' }).fetch([`${server.origin()}/x`])
    const { headers, method } = requestFor(server, '/x')
    expect(method).to.equal('GET')
    expect(headers).to.include({ 'user-agent': 'bot/1 (a@b.example)', host: `127.0.0.1:${server.port}` })
    expect(headers['accept-encoding']).to.equal('zstdDecompressSync' in (await import('node:zlib')) ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br')
    expect(headers).to.not.have.any.keys('cookie', 'authorization', 'if-none-match', 'if-modified-since', 'referer')
    expect(requestFor(server, '/robots.txt').headers['user-agent']).to.equal('bot/1 (a@b.example)')
  })

  const modified = 'Sun, 06 Nov 1994 08:49:37 GMT'
  const fetched: Partial<DbDatum> = { status: 'db_fetched', signature: new Uint8Array(16) }
  for (const { why, datum, sent } of [
    { why: 'an entity tag', datum: { ...fetched, metadata: { ETag: 'W/"a"' } }, sent: { 'if-none-match': 'W/"a"' } },
    { why: 'a date', datum: { ...fetched, metadata: { 'Last-Modified': modified } }, sent: { 'if-modified-since': modified } },
    {
      why: 'both',
      datum: { ...fetched, metadata: { ETag: '"a"', 'Last-Modified': modified } },
      sent: { 'if-none-match': '"a"', 'if-modified-since': modified },
    },
    {
      why: 'the time of the record',
      datum: { ...fetched, modifiedTimeMs: Date.UTC(1994, 10, 6, 8, 49, 37), metadata: {} },
      sent: { 'if-modified-since': modified },
    },
    { why: 'nothing: never fetched', datum: { metadata: { ETag: '"a"' } }, sent: {} },
    { why: 'nothing: gone at the last fetch', datum: { ...fetched, status: 'db_gone', metadata: { ETag: '"a"' } }, sent: {} },
    { why: 'nothing: no content is known', datum: { status: 'db_fetched', metadata: { ETag: '"a"' } }, sent: {} },
    { why: 'a tag that would end the header', datum: { ...fetched, metadata: { ETag: '"a"\r\nX: 1' } }, sent: { 'if-none-match': '"a"  X: 1' } },
  ] as readonly { why: string; datum: Partial<DbDatum>; sent: Readonly<Record<string, string>> }[])
    it(`are conditional by ${why}`, async () => {
      const server = await serve()
      await setUp().fetch([itemFor(`${server.origin()}/x`, datum)])
      const { headers } = requestFor(server, '/x')
      const conditions = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('if-')))
      expect(conditions).to.deep.equal(sent)
      expect(headers).to.not.have.property('x')
    })

  it('that find a page unchanged end so, and keep its validators', async () => {
    const server = await serve({
      '/x': (request, response) => {
        const isKnown = request.headers['if-none-match'] === '"1"'
        response.writeHead(isKnown ? 304 : 200, { etag: '"1"', 'last-modified': modified }).end(isKnown ? undefined : 'fine')
      },
    })
    const url = `${server.origin()}/x`
    const setup = setUp()
    const first = await setup.fetch([url])
    expect(first.outcome(url)).to.include({ status: 'fetch_success', modifiedTimeMs: Date.UTC(1994, 10, 6, 8, 49, 37) })
    expect(first.outcome(url).metadata).to.include({ ETag: '"1"', 'Last-Modified': modified, 'nutch.protocol.code': '200' })
    const again = await setup.fetch([itemFor(url, { ...fetched, metadata: first.outcome(url).metadata })])
    expect(again.outcome(url)).to.include({ status: 'fetch_notmodified', protocolStatus: 'notmodified', httpStatus: 304 })
    expect(again.outcome(url).metadata).to.include({ ETag: '"1"' })
  })

  it('whose condition is refused are made again without it, in time', async () => {
    const isAsked = (headers: object): boolean => 'if-none-match' in headers || 'if-modified-since' in headers
    const server = await serve({ '/x': ({ headers }, response) => void response.writeHead(isAsked(headers) ? 412 : 200).end('fine') })
    const url = `${server.origin()}/x`
    const setup = setUp()
    const refused = await setup.fetch([itemFor(url, { ...fetched, metadata: { ETag: '"1"' } })])
    expect(refused.outcome(url)).to.include({ status: 'fetch_retry', protocolStatus: 'retry', httpStatus: 412 })
    const again = await setup.fetch([itemFor(url, { ...fetched, status: 'db_unfetched', metadata: { ETag: '"1"' } })]) // as updatedb leaves it
    expect(again.outcome(url)).to.include({ status: 'fetch_success', httpStatus: 200 })
  })

  it('forget a validator that a page no longer has', async () => {
    const server = await serve()
    const url = `${server.origin()}/x`
    const run = await setUp().fetch([itemFor(url, { ...fetched, metadata: { ETag: '"old"' } })])
    expect(run.outcome(url).metadata.ETag).to.equal('')
  })

  it('are unconditional by option', async () => {
    const server = await serve()
    await setUp({ 'http.enable.if.modified.since.header': false }).fetch([itemFor(`${server.origin()}/x`, { ...fetched, metadata: { ETag: '"a"' } })])
    expect(requestFor(server, '/x').headers).to.not.have.property('if-none-match')
  })

  it('carry a password to its host only, also after a redirect, and never into an outcome', async () => {
    const server = await serve({
      '/away': (request, response) => void response.writeHead(302, { location: `http://127.0.0.2:${request.socket.localPort}/there` }).end(),
    })
    const run = await setUp({ 'http.auth.basic': '127.0.0.1=user:secret' }).fetch([`${server.origin()}/away`])
    const basic = `Basic ${Buffer.from('user:secret').toString('base64')}`
    expect(requestFor(server, '/away').headers.authorization).to.equal(basic)
    expect(requestFor(server, '/there').headers.authorization).to.equal(undefined)
    const outcomes = JSON.stringify(run.pages.map(({ outcome }) => outcome))
    expect(outcomes).to.not.include('secret')
    expect(outcomes).to.not.include(basic)
  })

  it('keep what proves their right out of what is stored, of page and robots.txt', async () => {
    const server = await serve()
    const run = await setUp({ 'http.auth.basic': '127.0.0.1=user:secret' }).fetch([`${server.origin()}/x`])
    const heads = run.pages.flatMap(({ exchanges }) => exchanges.map(({ requestHead }) => Buffer.from(requestHead).toString()))
    expect(heads).to.have.length(2)
    for (const head of heads)
      expect(head)
        .to.match(/^GET .*\r\nhost: .*\r\n\r\n$/is)
        .and.not.match(/authorization/i)
  })

  it('note when, where and how long', async () => {
    const server = await serve({ '/slow': (_request, response) => void setTimeout(() => response.end('late'), 60) })
    const url = `${server.origin()}/slow`
    const { timing, address, protocol, contentLengthBytes, metadata } = (await setUp().fetch([url])).outcome(url)
    expect(timing.endMs - timing.startMs).to.be.within(50, 1000)
    expect(timing.firstByteMs).to.be.within(50, 1000)
    expect({ address, protocol, contentLengthBytes }).to.deep.equal({ address: '127.0.0.1', protocol: 'http/1.1', contentLengthBytes: 4 })
    expect(Number(metadata._rs_)).to.equal(timing.endMs - timing.startMs)
  })

  it('say of a failure what Nutch says', async () => {
    const server = await serve({ '/gone': { status: 404 }, '/down': { status: 500 } })
    const run = await setUp({ 'fetcher.exceptions.per.queue.delay': 0 }).fetch([
      `${server.origin()}/gone`,
      `${server.origin()}/down`,
      'ftp://127.0.0.1/x',
    ])
    expect(run.outcome(`${server.origin()}/gone`).metadata._pst_).to.equal('notfound(14), lastModified=0: HTTP 404')
    expect(run.outcome(`${server.origin()}/down`)).to.include({
      status: 'fetch_retry',
      protocolStatus: 'exception',
      cause: 'HTTP 500',
      causeClass: 'http',
    })
    expect(run.outcome('ftp://127.0.0.1/x')).to.include({ status: 'fetch_gone', protocolStatus: 'proto_not_found' })
  })

  it('that break off are failures where parts are not kept', async () => {
    const server = await serve({
      '/half': (_request, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('half')
        setTimeout(() => response.destroy(), 20)
      },
    })
    const url = `${server.origin()}/half`
    expect((await setUp({ 'http.partial.truncated': false }).fetch([url])).outcome(url)).to.include({
      status: 'fetch_retry',
      causeClass: 'disconnect',
    })
    expect((await setUp().fetch([url])).outcome(url)).to.include({ status: 'fetch_success', truncated: 'disconnect' })
  })

  it('below the least rate are cut', async () => {
    const server = await serve({
      '/slow': (_request, response) => {
        const drip = setInterval(() => response.write('x'), 20)
        response.once('close', () => clearInterval(drip))
      },
    })
    const url = `${server.origin()}/slow`
    const run = await setUp({ 'http.timeout': 200, 'http.min.rate': 10_000 }).fetch([url])
    expect(run.outcome(url)).to.include({ truncated: 'time' })
    expect(run.outcome(url).timing.endMs - run.outcome(url).timing.startMs).to.be.below(2000)
  })

  it('in flight are called off by the signal, and their items given back', async () => {
    const server = await serve({ '/hang*': () => undefined })
    const aborter = new AbortController()
    setTimeout(() => aborter.abort(), 100)
    const setup = setUp()
    const run = await setup.fetch([`${server.origin()}/hang1`, `${server.origin()}/hang2`], { signal: aborter.signal })
    expect(run.result).to.include({ stoppedBy: 'signal', items: 0, givenBack: 2 })
    expect(run.pages.filter(({ outcome }) => outcome.causeClass !== undefined)).to.deep.equal([])
  })

  it('to hosts of one address share its queue, by option', async () => {
    const server = await serve()
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const setup = setUp(
      { 'fetcher.queue.mode': 'byIP', 'fetcher.server.delay': 0.06, 'http.robot.rules.allowlist': 'a.example,b.example,c.example' },
      { resolve },
    )
    await setup.fetch(['a', 'b', 'c'].map(name => `http://${name}.example:${server.port}/x`))
    const [first, second, third] = server.requests
    expect([(second?.startMs ?? 0) - (first?.endMs ?? 0), (third?.startMs ?? 0) - (second?.endMs ?? 0)].every(gapMs => gapMs >= 58)).to.equal(true)
  })
})
