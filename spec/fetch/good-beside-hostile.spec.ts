import { expect } from 'chai'
import type { FetchedPage } from '../../lib/record/exchange.js'
import { listenOnLoopback } from '../../pipelines/loopback-listener.js'
import { type Route, startServer } from '../support/server.js'
import { type FetchSetup, itemFor, setUpFetch } from './fetch-setup.js'
import { startHostileServer } from './hostile/hostile-server.js'
import { drips, floods, type Misbehaviour, ok, sends, sendsAndHangs } from './hostile/misbehaviour.js'

const hosts = 50
const pagesPerHost = 4
const outcome = { status: 'fetch_retry' } as const
/** What the hostile hosts do, each in its own way; most of them keep a connection for as long as they are let. */
const hostile: readonly Misbehaviour[] = [
  { name: 'says nothing', play: () => undefined, outcome },
  { name: 'hangs within the headers', play: sendsAndHangs(ok), outcome },
  { name: 'drips its headers', play: drips('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n', 20), outcome },
  { name: 'drips its body', play: drips(`${ok}\r\n`, 'x', 20), outcome },
  { name: 'never ends its body', play: floods(`${ok}\r\n`, 'x'.repeat(1000)), outcome },
  { name: 'closes', play: sends(), outcome },
]

describe('50 good hosts beside 50 hostile ones', function beside() {
  this.timeout(20_000)
  const closing: (() => unknown)[] = []
  after(async () => {
    for (const close of closing) await close()
  })

  it('are fetched whole, without waiting for any of the others', async () => {
    const good = await startServer({
      hosts: Array.from({ length: hosts }, (_, index) => `127.0.1.${index + 1}`),
      routes: { '/robots.txt': { status: 404 }, '/*': { body: 'fine' } },
    })
    const bad = await startHostileServer(
      hostile,
      Array.from({ length: hosts }, (_, index) => `127.0.2.${index + 1}`),
    )
    closing.push(good.close, bad.close)
    const badPort = new URL(bad.origin).port
    const setup: FetchSetup = setUpFetch({ 'http.timeout': 4000, 'http.time.limit': 6, 'fetcher.threads.fetch': 100, 'http.content.limit': 100_000 })
    closing.push(() => setup.client.close())
    const items = Array.from({ length: hosts * pagesPerHost }, (_, index) => {
      const host = (index % hosts) + 1
      return [itemFor(`http://127.0.1.${host}:${good.port}/${index}`), itemFor(`http://127.0.2.${host}:${badPort}/${host % hostile.length}?${index}`)]
    }).flat()
    const order: FetchedPage[] = []
    const stopper = new AbortController()
    const isGood = ({ outcome: { url } }: FetchedPage): boolean => url.startsWith('http://127.0.1.')
    await setup.fetch(items, {
      signal: stopper.signal,
      onPage: async page => {
        order.push(page)
        if (order.filter(isGood).length === hosts * pagesPerHost) stopper.abort() // the hostile ones could take a minute more
      },
    })
    expect(order.filter(page => isGood(page) && page.outcome.status === 'fetch_success')).to.have.length(hosts * pagesPerHost)
    // By event order: no good page came after one that had to run into a time limit.
    expect(order.filter(page => !isGood(page) && page.outcome.causeClass === 'timeout')).to.deep.equal([])
  })
})

describe('politeness, by the log of the server', () => {
  const delayMs = 60
  const robotsOf: Readonly<Record<string, Route>> = {
    '127.0.0.1/robots.txt': { status: 404 },
    '127.0.0.2/robots.txt': { body: 'User-agent: *\nCrawl-delay: 0.15' },
    '127.0.0.3/robots.txt': { status: 404 },
  }

  for (const perQueue of [1, 4])
    it(`every request keeps its gap, with ${perQueue} in flight for a host`, async () => {
      let served = 0
      const server = await startServer({
        hosts: ['127.0.0.1', '127.0.0.2', '127.0.0.3'],
        routes: {
          ...robotsOf,
          '127.0.0.3/*': (_request, response) => {
            served += 1
            if (served === 2) response.writeHead(503, { 'retry-after': '1' }).end('busy')
            else response.end('fine')
          },
          '/moved*': (request, response) =>
            void response.writeHead(302, { location: `http://127.0.0.1:${request.socket.localPort}/from${request.url?.slice(1)}` }).end(),
          '/*': (_request, response) => void setTimeout(() => response.end('fine'), 10),
        },
      })
      const setup = setUpFetch({
        'fetcher.server.delay': delayMs / 1000,
        'fetcher.server.min.delay': delayMs / 1000,
        'fetcher.min.crawl.delay': 0,
        'fetcher.threads.per.queue': perQueue,
      })
      const urls = ['127.0.0.1', '127.0.0.2', '127.0.0.3'].flatMap(host =>
        [1, 2, 3, 4].map(index => `${server.origin(host)}/${index % 2 === 0 ? 'moved' : 'page'}${index}`),
      )
      const run = await setup.fetch(urls)
      setup.client.close()
      await server.close()
      const gapOf: Readonly<Record<string, number>> = { '127.0.0.1': delayMs, '127.0.0.2': 150, '127.0.0.3': delayMs }
      for (const [host, wantedMs] of Object.entries(gapOf)) {
        const requests = server.requests.filter(request => request.host === host)
        const isSerial = perQueue === 1 || host === '127.0.0.2'
        const gaps = requests.slice(1).map(({ startMs }, index) => startMs - (requests[index]?.endMs ?? 0))
        expect(requests.length).to.be.above(4)
        // A millisecond or two pass between the end here and the log of it there.
        if (isSerial) expect(Math.min(...gaps), `${host}: ${gaps.map(Math.round).join()}`).to.be.at.least(wantedMs - 3)
      }
      const third = server.requests.filter(({ host }) => host === '127.0.0.3')
      const busy = third[2]?.endMs ?? 0 // after robots.txt and the first page
      if (perQueue === 1) expect((third[3]?.startMs ?? 0) - busy).to.be.at.least(997)
      if (perQueue === 1) expect(run.pages.some(({ outcome: { delaySource } }) => delaySource === 'retry-after')).to.equal(true)
      const underCrawlDelay = run.pages.filter(({ outcome: { url } }) => url.includes('127.0.0.2:') && !url.includes('from'))
      expect(underCrawlDelay.map(({ outcome: { queueDelayMs, delaySource } }) => `${queueDelayMs} ${delaySource}`)).to.deep.equal(
        Array(4).fill('150 crawl-delay'),
      )
    })
})

describe('listeners and sockets', () => {
  it('are not held by answers that nobody wanted', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    let open = 0
    let most = 0
    const big = 'z'.repeat(100_000)
    const listener = await listenOnLoopback({
      hosts: ['127.0.0.1'],
      onConnection(socket) {
        open += 1
        most = Math.max(most, open)
        socket.once('close', () => {
          open -= 1
        })
        socket.on('end', () => socket.end())
        socket.on('data', chunk => {
          const target = chunk.toString('latin1').split(' ')[1] ?? ''
          const [status, extra] = target.startsWith('/n')
            ? ['404 Gone', '']
            : target.startsWith('/r')
              ? ['302 Found', 'Location: http://filtered.example/\r\n']
              : ['200 OK', '']
          socket.write(`HTTP/1.1 ${status}\r\n${extra}Content-Type: video/mp4\r\nContent-Length: ${big.length}\r\n\r\n${big}`)
        })
      },
    })
    const setup = setUpFetch({ 'fetcher.threads.per.queue': 8 }, { admitUrl: () => ({ dropped: 'filtered' }) })
    const urls = Array.from({ length: 600 }, (_, index) => `http://127.0.0.1:${listener.port}/${'nrv'[index % 3]}/${index}`)
    const aborter = new AbortController()
    const run = await setup.fetch(urls, { signal: aborter.signal })
    setup.client.close()
    await listener.close()
    process.off('warning', onWarning)
    expect(run.pages).to.have.length(600)
    expect(most).to.be.at.most(8)
    expect(warnings).to.deep.equal([])
  })
})
