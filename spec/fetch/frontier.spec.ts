import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type FetchSource, MemorySource } from '../../lib/fetch/fetch-source.js'
import type { PageFetcher } from '../../lib/fetch/page-fetcher.js'
import type { FetchedPage } from '../../lib/record/exchange.js'
import type { FetchItem } from '../../lib/record/records.js'
import { itemFor } from './fetch-setup.js'
import { gapsOf, itemsOf, mostAtOnce, type SimulatedRequest, simulate } from './simulation.js'

describe('the frontier', () => {
  it('keeps the delay from the end of each request, and no longer', async () => {
    const { run, requests } = simulate({ 'fetcher.server.delay': 2 })
    const result = await run(itemsOf(5, 6))
    expect(result).to.include({ items: 30, pages: 30, givenBack: 0 })
    expect(new Set(gapsOf(requests).map(({ gapMs }) => gapMs))).to.deep.equal(new Set([2000]))
    expect(gapsOf(requests).every(({ dueMs }) => dueMs === 2000)).to.equal(true)
  })

  it('keeps all hosts busy: the whole takes as long as one host', async () => {
    const { run, time } = simulate({ 'fetcher.server.delay': 1, 'fetcher.threads.fetch': 100 })
    const startMs = time.nowMs()
    await run(itemsOf(200, 10))
    expect(time.nowMs() - startMs).to.be.within(10 * 100 + 9 * 1000, 10 * 100 + 9 * 1000 + 3 * 100)
  })

  it('has never more in flight than allowed, in all and for each queue', async () => {
    for (const [inAll, perQueue] of [
      [7, 1],
      [20, 3],
    ] as const) {
      const { run, requests } = simulate({ 'fetcher.threads.fetch': inAll, 'fetcher.threads.per.queue': perQueue, 'fetcher.server.delay': 0 })
      await run(itemsOf(10, 20))
      expect(mostAtOnce(requests)).to.equal(inAll)
      for (let host = 0; host < 10; host++)
        expect(mostAtOnce(requests.filter(({ queueId }) => queueId === `h${host}.example`))).to.be.at.most(perQueue)
    }
  })

  it('serves queues that are due at the same time in turn', async () => {
    const { run, requests } = simulate({ 'fetcher.threads.fetch': 1, 'fetcher.server.delay': 0 })
    await run(itemsOf(4, 3))
    const inOrder = [...requests].sort((a, b) => a.startMs - b.startMs).map(({ queueId }) => queueId)
    for (let round = 0; round < 3; round++) expect(new Set(inOrder.slice(round * 4, round * 4 + 4)).size).to.equal(4)
  })

  it('lets no slow host hold the others up', async () => {
    const { run, requests, time } = simulate(
      { 'fetcher.threads.fetch': 12, 'fetcher.server.delay': 0 },
      { tookMs: ({ queueId }) => (queueId === 'h0.example' ? 60_000 : 10) },
    )
    const startMs = time.nowMs()
    await run(itemsOf(10, 10))
    const others = requests.filter(({ queueId }) => queueId !== 'h0.example')
    expect(Math.max(...others.map(({ endMs }) => endMs)) - startMs).to.be.below(1000)
  })

  it('holds a queue for Retry-After, and all of it', async () => {
    const report = ({ url }: FetchItem) => (url.endsWith('/0') ? { isException: true, isThrottled: true, retryAfterMs: 30_000 } : {})
    const { run, requests } = simulate({ 'fetcher.server.delay': 1 }, { report })
    await run(itemsOf(2, 4))
    expect(gapsOf(requests).map(({ gapMs }) => gapMs)).to.have.members([30_000, 30_000, 1000, 1000, 1000, 1000])
  })

  it('backs off after failures, doubling, and recovers', async () => {
    const report = ({ url }: FetchItem) => ({ isException: Number(url.split('/').at(-1)) < 3 })
    const { run, requests } = simulate({ 'fetcher.server.delay': 1 }, { report })
    await run(itemsOf(1, 8))
    expect(gapsOf(requests).map(({ gapMs }) => gapMs)).to.deep.equal([2000, 3000, 5000, 1000, 1000, 1000, 1000])
  })

  it('gives a queue up after too many failures in a row, and gives its items back', async () => {
    const report = ({ queueId }: FetchItem) => ({ isException: queueId === 'h0.example' })
    const { run, requests } = simulate({ 'fetcher.server.delay': 0, 'fetcher.max.exceptions.per.queue': 5 }, { report })
    const result = await run(itemsOf(2, 30))
    expect(requests.filter(({ queueId }) => queueId === 'h0.example')).to.have.length(5)
    expect(requests.filter(({ queueId }) => queueId === 'h1.example')).to.have.length(30)
    expect(result.abandoned.map(({ queueId, reason }) => ({ queueId, reason }))).to.deep.equal([{ queueId: 'h0.example', reason: 'failures' }])
    expect(result.items).to.equal(35)
  })

  it('leaves a queue for later that may not be asked for long', async () => {
    const report = () => ({ isException: true, isThrottled: true, retryAfterMs: 3_600_000 })
    const { run, requests, time } = simulate({ 'fetcher.queue.hold.max': 600 }, { report })
    const startMs = time.nowMs()
    const result = await run(itemsOf(1, 5))
    expect(requests).to.have.length(1)
    expect(result.abandoned[0]).to.include({ queueId: 'h0.example', reason: 'held', untilMs: startMs + 100 + 3_600_000 })
    expect(result.givenBack).to.equal(4)
  })

  it('goes on after a restart as if it had not stopped', async () => {
    const first = simulate({ 'fetcher.server.delay': 50 })
    const { politeness } = await first.run(itemsOf(1, 1))
    const second = simulate({ 'fetcher.server.delay': 50 })
    second.time.set(first.time.nowMs() + 10_000)
    await second.run(itemsOf(1, 1), { politeness: JSON.parse(JSON.stringify(politeness)) })
    expect((second.requests[0] as SimulatedRequest).startMs - (first.requests[0] as SimulatedRequest).endMs).to.equal(50_000)
  })

  it('takes no new item when it is stopped, and accounts for each that it took', async () => {
    const { run, requests, pages } = simulate({ 'fetcher.threads.fetch': 3, 'fetcher.server.delay': 0 })
    const source = new MemorySource(itemsOf(20, 5))
    const back: FetchItem[] = []
    const taken: FetchItem[] = []
    const counting: FetchSource = {
      nextQueues: limit => source.nextQueues(limit),
      take: async (id, limit) => {
        const items = await source.take(id, limit)
        taken.push(...items)
        return items
      },
      giveBack: (_id, items) => void back.push(...items),
    }
    const stopper = new AbortController()
    const onPage = async (page: FetchedPage): Promise<void> => {
      pages.push(page)
      if (pages.length === 10) stopper.abort()
    }
    const result = await run(counting, { stopTaking: stopper.signal, onPage })
    expect(result.stoppedBy).to.equal('stopTaking')
    expect(requests.length).to.be.within(10, 12)
    expect([...pages.map(({ outcome }) => outcome.url), ...back.map(({ url }) => url)].sort()).to.deep.equal(taken.map(({ url }) => url).sort())
    expect(result).to.include({ items: pages.length, givenBack: back.length })
  })

  it('ends at the time limit, and below the throughput threshold', async () => {
    const limited = simulate({ 'fetcher.server.delay': 1 })
    expect(await limited.run(itemsOf(1, 100), { timeLimitMs: 10_000 })).to.include({ stoppedBy: 'timeLimit' })
    expect(limited.requests.length).to.be.within(9, 11)
    const slow = simulate({ 'fetcher.server.delay': 5, 'fetcher.throughput.threshold.pages': 1, 'fetcher.throughput.threshold.check.after': 1 })
    expect(await slow.run(itemsOf(1, 1000))).to.include({ stoppedBy: 'throughput' })
    expect(slow.time.nowMs() - 1_000_000).to.be.within(60_000, 90_000)
  })

  it('takes from the source at the pace of what it can fetch', async () => {
    let taken = 0
    let most = 0
    const hosts = 100_000
    let next = 0
    const left = new Map<string, number>()
    // A million URLs on a hundred thousand hosts, none of them in memory here.
    const source: FetchSource = {
      nextQueues: async limit => {
        const ids = Array.from({ length: Math.min(limit, hosts - next) }, () => `h${next++}.example`)
        for (const id of ids) left.set(id, 10)
        return ids
      },
      take: async (id, limit) => {
        const count = Math.min(limit, left.get(id) ?? 0)
        left.set(id, (left.get(id) ?? 0) - count)
        if (count === 0) left.delete(id)
        taken += count
        most = Math.max(most, taken - requests.length)
        return Array.from({ length: count }, (_, index) => itemFor(`http://${id}/${index}`))
      },
    }
    const { run, requests } = simulate({ 'fetcher.threads.fetch': 50, 'fetcher.server.delay': 5 })
    const stopper = new AbortController()
    const onPage = async (): Promise<void> => {
      if (requests.length === 20_000) stopper.abort()
    }
    await run(source, { stopTaking: stopper.signal, onPage })
    expect(most).to.be.below(50 * 50 * 2)
    expect(left.size).to.be.at.most(50 * 50)
    expect(gapsOf(requests).every(({ gapMs }) => gapMs >= 5000)).to.equal(true)
  })

  it('starts a timer only when somebody waits, and leaves none', async () => {
    const { run, time } = simulate({ 'fetcher.server.delay': 1 })
    await run(itemsOf(3, 3))
    expect(time.timersRunning).to.equal(0)
  })

  it('waits for who takes the pages', async () => {
    let handling = 0
    let most = 0
    const onPage = async (): Promise<void> => {
      handling += 1
      most = Math.max(most, handling)
      await wait(1)
      handling -= 1
    }
    await simulate({ 'fetcher.threads.fetch': 4, 'fetcher.server.delay': 0 }).run(itemsOf(10, 3), { onPage })
    expect(most).to.equal(4)
  })

  it('fails when the source or the taker of pages fails, and for nothing else', async () => {
    const broken: FetchSource = { nextQueues: () => Promise.resolve(['q']), take: () => Promise.reject(new Error('disk')) }
    await rejects(simulate({}).run(broken), /disk/)
    await rejects(simulate({}).run(itemsOf(1, 1), { onPage: () => Promise.reject(new Error('full')) }), /full/)
    const bug: Pick<PageFetcher, 'fetchItem'> = { fetchItem: () => Promise.reject(new Error('a bug')) }
    const { run, pages } = simulate({})
    await run(itemsOf(1, 1), { fetcher: bug })
    expect(pages[0]?.outcome).to.include({ status: 'fetch_retry', protocolStatus: 'failed', cause: 'a bug' })
  })
})

async function rejects(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await promise.then(
    () => undefined,
    reason => reason,
  )
  expect(String(error)).to.match(message)
}
