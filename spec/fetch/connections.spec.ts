import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { HttpAnswer } from '../../lib/fetch/http-result.js'
import { startServer } from '../support/server.js'
import { type FetchSetup, setUpFetch } from './fetch-setup.js'
import { tlsIdentity } from './tls-identity.js'

describe('connections', () => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  const setUp = (...args: Parameters<typeof setUpFetch>): FetchSetup => {
    const setup = setUpFetch(...args)
    closing.push(() => setup.client.close())
    return setup
  }
  /** Port of a server that is closed after the test. */
  const portOf = async (server: Server): Promise<number> => {
    const sockets = new Set<Socket>()
    server.on('connection', socket => sockets.add(socket.on('error', () => undefined)))
    closing.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  it('that are refused are retried, and named so', async () => {
    const port = await portOf(createServer())
    await closing.pop()?.()
    const run = await setUp().fetch([`http://127.0.0.1:${port}/`])
    expect(run.outcome(`http://127.0.0.1:${port}/`)).to.include({ status: 'fetch_retry', causeClass: 'connect' })
    expect(run.outcome(`http://127.0.0.1:${port}/`).cause).to.match(/connection refused/)
  })

  for (const { name, onConnection, causeClass } of [
    { name: 'closed at once', onConnection: (socket: Socket) => socket.end(), causeClass: 'disconnect' },
    { name: 'reset at once', onConnection: (socket: Socket) => socket.resetAndDestroy(), causeClass: 'disconnect' },
    { name: 'left without a word', onConnection: () => undefined, causeClass: 'timeout' },
  ])
    it(`${name} end as ${causeClass}`, async () => {
      const port = await portOf(createServer(onConnection))
      const run = await setUp({ 'http.timeout': 300 }).fetch([`http://127.0.0.1:${port}/`])
      expect(run.outcome(`http://127.0.0.1:${port}/`)).to.include({ status: 'fetch_retry', causeClass })
    })

  for (const { name, onConnection, causeClass, cause } of [
    {
      name: 'to a port that speaks plain HTTP',
      onConnection: (socket: Socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'),
      causeClass: 'tls',
      cause: /TLS/,
    },
    {
      name: 'closed within the handshake',
      onConnection: (socket: Socket) => void socket.once('data', () => socket.end()),
      causeClass: 'tls',
      cause: /TLS/,
    },
    { name: 'that hang within the handshake', onConnection: () => undefined, causeClass: 'timeout', cause: /timeout/ },
  ])
    for (const check of [true, false])
      it(`over TLS ${name} end as ${causeClass}${check ? '' : ', certificates unchecked'}`, async () => {
        const port = await portOf(createServer(onConnection))
        const url = `https://127.0.0.1:${port}/`
        const run = await setUp({ 'http.timeout': 300, 'http.tls.certificates.check': check }).fetch([url])
        expect(run.outcome(url)).to.include({ status: 'fetch_retry', causeClass })
        expect(run.outcome(url).cause).to.match(cause)
      })

  it('over TLS check the certificate, unless told not to', async () => {
    const port = await portOf(createHttpsServer(tlsIdentity, (_request, response) => response.end('fine')))
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `https://${host}:${port}/`
      const checked = await setUp({ 'http.ip.family': '4' }).fetch([url])
      expect(checked.outcome(url)).to.include({ status: 'fetch_retry', causeClass: 'tls' })
      const unchecked = await setUp({ 'http.tls.certificates.check': false, 'http.ip.family': '4' }).fetch([url])
      expect(unchecked.outcome(url)).to.include({ status: 'fetch_success', protocol: 'http/1.1' })
    }
  })

  it('over TLS name the host without the dot of the root, which its certificate and RFC 6066 do not know', async () => {
    const named: string[] = []
    const SNICallback = (name: string, done: (error: null) => void): void => {
      named.push(name)
      done(null)
    }
    const port = await portOf(createHttpsServer({ ...tlsIdentity, SNICallback }, (request, response) => response.end(request.headers.host)))
    const url = `https://a.example.:${port}/`
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const run = await setUp({ 'http.tls.certificates.check': false }, { resolve }).fetch([url])
    expect(new Set(named)).to.deep.equal(new Set(['a.example']))
    expect(String(run.pages[0]?.exchanges.at(-1)?.payload)).to.equal(`a.example.:${port}`)
  })

  it('to a TLS port without TLS are no HTTP', async () => {
    const port = await portOf(createHttpsServer(tlsIdentity))
    const run = await setUp({ 'http.timeout': 500 }).fetch([`http://127.0.0.1:${port}/`])
    expect(run.outcome(`http://127.0.0.1:${port}/`).status).to.equal('fetch_retry')
  })

  it('speak HTTP/2 where it is wanted and offered', async () => {
    const server = createSecureServer({ ...tlsIdentity, allowHTTP1: true }, (request, response) => {
      response.setHeader('x-version', request.httpVersion)
      response.end(`for ${request.headers['user-agent']}`)
    })
    const port = await portOf(server as unknown as Server) // a TLS server is a net.Server, which its types do not say
    for (const { wanted, protocol } of [
      { wanted: true, protocol: 'h2' },
      { wanted: false, protocol: 'http/1.1' },
    ]) {
      const setup = setUp({ 'http.tls.certificates.check': false, 'http.useHttp2': wanted })
      const urls = [`https://127.0.0.1:${port}/a`, `https://127.0.0.1:${port}/b`]
      const run = await setup.fetch(urls)
      for (const url of urls) expect(run.outcome(url)).to.include({ status: 'fetch_success', protocol })
      expect(Buffer.from(run.pages.at(-1)?.exchanges.at(-1)?.payload ?? []).toString()).to.equal('for testbot')
      expect(Buffer.from(run.pages.at(-1)?.exchanges.at(-1)?.responseHead ?? []).toString()).to.match(/^HTTP\/(2|1\.1) 200[\s\S]*\r\n\r\n$/)
      setup.client.close()
    }
  })

  it('to a host without an address, or whose lookup fails or hangs, are retried, and count as failures of the name, not of the host', async () => {
    const lookups = {
      'none.example': () => Promise.resolve([]),
      'fails.example': () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
      'hangs.example': () => new Promise<never>(() => undefined),
    }
    const setup = setUp({ 'http.timeout': 200 }, { resolve: async host => lookups[host as keyof typeof lookups]() })
    const urls = Object.keys(lookups).map(host => `http://${host}/`)
    const run = await setup.fetch(urls)
    expect(urls.map(url => run.outcome(url).causeClass)).to.deep.equal(['dns', 'dns', 'dns'])
    expect(run.outcome('http://hangs.example/').cause).to.match(/^robots.txt unreachable: name server did not answer .*hangs\.example.*200 ms/)
    expect(run.pages.every(({ outcome }) => outcome.status === 'fetch_retry' && outcome.queueDelayMs === undefined)).to.equal(true)
  })

  it('go on to the next address where one does not answer', async () => {
    const server = await startServer({ routes: { '/*': { body: 'fine' } } })
    closing.push(server.close)
    const resolve = async () => [
      { address: '127.0.0.77', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const url = `http://two.example:${server.port}/`
    const run = await setUp({}, { resolve }).fetch([url])
    expect(run.outcome(url)).to.include({ status: 'fetch_success', address: '127.0.0.1' })
  })

  it('are kept open and used again, one request at a time', async () => {
    const server = await startServer({ routes: { '/*': { body: 'fine' } } })
    closing.push(server.close)
    const setup = setUp()
    const urls = Array.from({ length: 20 }, (_, index) => `${server.origin()}/${index}`)
    await setup.fetch(urls)
    expect(server.requests.length).to.equal(21)
    expect([setup.client.openConnections(), server.openSockets()]).to.deep.equal([1, 1])
  })

  it('are bounded in number when idle, over all hosts', async () => {
    const hosts = Array.from({ length: 12 }, (_, index) => `127.0.0.${index + 1}`)
    const server = await startServer({ hosts, routes: { '/*': { body: 'fine' } } })
    closing.push(server.close)
    const setup = setUp({ 'http.connections.idle': 3 })
    await setup.fetch(hosts.map(host => `${server.origin(host)}/x`))
    await wait(20)
    expect(setup.client.openConnections()).to.be.at.most(3)
  })

  it('through a forward proxy carry whole URLs, and tunnels for TLS', async () => {
    const asked: string[] = []
    const tlsPort = await portOf(createHttpsServer(tlsIdentity, (_request, response) => response.end('through the tunnel')))
    const proxy = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`)
      response.end('through the proxy')
    })
    proxy.on('connect', (request, socket) => {
      asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`)
      const through = connect(tlsPort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        through.pipe(socket).pipe(through)
      })
      through.on('error', () => socket.destroy())
      socket.on('error', () => through.destroy())
    })
    const port = await portOf(proxy)
    const setup = setUp({
      'http.proxy.host': '127.0.0.1',
      'http.proxy.port': port,
      'http.proxy.username': 'u',
      'http.proxy.password': 'p',
      'http.tls.certificates.check': false,
      'http.allow.address': '',
    })
    const urls = ['http://plain.example/a?b', 'https://secure.example/c']
    const run = await setup.fetch(urls)
    const bodies = urls.map(url => Buffer.from(run.pages.find(({ outcome }) => outcome.url === url)?.exchanges.at(-1)?.payload ?? []).toString())
    expect(bodies).to.deep.equal(['through the proxy', 'through the tunnel'])
    const auth = `Basic ${Buffer.from('u:p').toString('base64')}`
    expect(asked).to.include(`GET http://plain.example/a?b ${auth}`)
    expect(asked).to.include(`CONNECT secure.example:443 ${auth}`)
    const heads = run.pages.flatMap(({ exchanges }) => exchanges.map(({ requestHead }) => Buffer.from(requestHead).toString()))
    for (const head of heads)
      expect(head, 'what is stored')
        .to.match(/^GET /)
        .and.not.match(/authorization/i)
    for (const url of ['http://169.254.169.254/latest/meta-data', 'http://localhost/x', 'http://a.localhost./x']) {
      const refused = await setup.fetch([url])
      expect(refused.outcome(url).causeClass, url).to.equal('guard')
    }
  })

  it('give the exact bytes of the wire', async () => {
    const answer = 'HTTP/1.1 200  Fine\r\nX-CaSe: a\r\nx-case:  b \r\nContent-Length: 4\r\n\r\nfine'
    const port = await portOf(createServer(socket => void socket.once('data', () => socket.write(answer))))
    const url = new URL(`http://127.0.0.1:${port}/p?q`)
    const result = (await setUp().client.get({ url, kind: 'page', headers: ['User-Agent', 'x'] })) as HttpAnswer
    expect(Buffer.from(result.exchange.responseHead).toString()).to.equal(answer.slice(0, -4))
    expect(Buffer.from(result.exchange.requestHead).toString()).to.match(
      /^GET \/p\?q HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n(?:[^\r\n]+\r\n)*\r\n$/i,
    )
    expect(Buffer.from(result.exchange.requestHead).toString()).to.include('User-Agent: x\r\n')
    expect(result.exchange.body).to.equal(result.exchange.payload)
  })
})
