import { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import { fetchPages } from '../../lib/fetch/fetch-pages.js'
import { systemClock } from '../../lib/log/clock.js'
import type { FetchedPage } from '../../lib/record/exchange.js'
import { type Route, type SpecServer, startServer } from '../support/server.js'
import { type FetchSetup, itemFor, setUpFetch } from './fetch-setup.js'

describe('the fetch stage', () => {
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
  const stageOf = (values: Readonly<Record<string, unknown>> = {}) => {
    const setup: FetchSetup = setUpFetch(values)
    closing.push(() => setup.client.close())
    return fetchPages({ fetcher: setup.fetcher, config: setup.config.fetch, clock: systemClock })
  }
  const itemsAt = (server: SpecServer, count: number) => Array.from({ length: count }, (_, index) => itemFor(`${server.origin()}/${index}`))

  it('is a Transform that takes items and gives pages', async () => {
    const server = await serve()
    const stage = stageOf()
    expect(stage).to.be.instanceOf(Transform)
    const pages: FetchedPage[] = []
    await pipeline(Readable.from(itemsAt(server, 30)), stage, async (source: AsyncIterable<FetchedPage>) => {
      for await (const page of source) pages.push(page)
    })
    expect(new Set(pages.map(({ outcome }) => outcome.url)).size).to.equal(30)
  })

  it('works with pipe', async () => {
    const server = await serve()
    const pages: FetchedPage[] = []
    for await (const page of Readable.from(itemsAt(server, 5)).pipe(stageOf())) pages.push(page)
    expect(pages).to.have.length(5)
  })

  it('gives pages as they are done: a slow host does not hold the others up', async () => {
    const server = await serve({ '127.0.0.2/*': (_request, response) => void setTimeout(() => response.end('late'), 400) })
    const items = [itemFor(`${server.origin('127.0.0.2')}/slow`), ...itemsAt(server, 10)]
    const urls: string[] = []
    for await (const page of Readable.from(items).pipe(stageOf())) urls.push((page as FetchedPage).outcome.url)
    expect(urls.at(-1)).to.equal(`${server.origin('127.0.0.2')}/slow`)
    expect(urls).to.have.length(11)
  })

  it('keeps to the pace of a slow reader', async () => {
    const server = await serve()
    let given = 0
    function* items() {
      for (let index = 0; index < 5000; index++) {
        given += 1
        yield itemFor(`${server.origin()}/${index}`)
      }
    }
    const stage = stageOf({ 'fetcher.threads.fetch': 2, 'fetcher.queue.depth.multiplier': 10 })
    let read = 0
    const slow = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write(_page, _encoding, done) {
        read += 1
        if (read === 20) stage.destroy(new Error('enough'))
        setTimeout(done, 5)
      },
    })
    const error = await pipeline(Readable.from(items(), { objectMode: true }), stage, slow).catch(reason => reason)
    expect(String(error)).to.match(/enough/)
    expect(given).to.be.below(150)
  })

  it('ends when it is aborted, with requests in flight', async () => {
    const server = await serve({ '/hang*': () => undefined })
    const aborter = new AbortController()
    setTimeout(() => aborter.abort(), 100)
    const items = [1, 2, 3].map(index => itemFor(`${server.origin()}/hang${index}`))
    const sink = new Writable({ objectMode: true, write: (_page, _encoding, done) => done() })
    const error = await pipeline(Readable.from(items), stageOf(), sink, { signal: aborter.signal }).catch(reason => reason)
    expect(error).to.have.property('name', 'AbortError')
  })

  it('fails when what is before it fails', async () => {
    const server = await serve()
    async function* failing() {
      yield itemFor(`${server.origin()}/1`)
      throw new Error('source broke')
    }
    const sink = new Writable({ objectMode: true, write: (_page, _encoding, done) => done() })
    const error = await pipeline(Readable.from(failing()), stageOf(), sink).catch(reason => reason)
    expect(String(error)).to.match(/source broke/)
  })
})
