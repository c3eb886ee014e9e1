import { expect } from 'chai'
import type { FetchRun } from '../../lib/fetch/fetch-all.js'
import type { FetchSource } from '../../lib/fetch/fetch-source.js'
import type { PolitenessState } from '../../lib/fetch/politeness.js'
import type { RequestReport } from '../../lib/fetch/turns.js'
import type { FetchItem } from '../../lib/record/records.js'
import type { ManualTime } from './manual-time.js'
import { gapsOf, itemsOf, type SimulatedRequest, simulate } from './simulation.js'

/** A source that gives a queue again when its time has come, and ends when it has no more. */
class PatientSource implements FetchSource {
  readonly backs: { readonly queueId: string; readonly urls: readonly string[]; readonly untilMs: number | undefined }[] = []
  readonly #queues = new Map<string, FetchItem[]>()
  #fresh: string[]
  #held: { readonly queueId: string; readonly untilMs: number }[] = []

  constructor(
    items: readonly FetchItem[],
    readonly time: ManualTime,
  ) {
    for (const item of items) this.#queues.set(item.queueId, [...(this.#queues.get(item.queueId) ?? []), item])
    this.#fresh = [...this.#queues.keys()]
  }

  async nextQueues(): Promise<readonly string[]> {
    const [held] = this.#held.splice(0, 1)
    if (held !== undefined && this.#fresh.length === 0) {
      await new Promise<void>(resolve => this.time.start(held.untilMs - this.time.nowMs(), resolve))
      return [held.queueId]
    }
    if (held !== undefined) this.#held.unshift(held)
    return this.#fresh.splice(0)
  }

  take(queueId: string, limit: number): Promise<readonly FetchItem[]> {
    return Promise.resolve(this.#queues.get(queueId)?.splice(0, limit) ?? [])
  }

  giveBack(queueId: string, items: readonly FetchItem[], untilMs?: number): void {
    this.backs.push({ queueId, urls: items.map(({ url }) => url), untilMs })
    this.#queues.get(queueId)?.unshift(...items)
    if (untilMs !== undefined) this.#held.push({ queueId, untilMs })
  }
}

const heldOnce =
  (heldMs: number) =>
  ({ url }: FetchItem): Partial<RequestReport> =>
    url === 'http://h0.example/0' ? { isException: true, isThrottled: true, retryAfterMs: heldMs } : {}

describe('a queue that is given up', () => {
  it('goes back with the time when it may be asked, and is fetched when it is given again then', async () => {
    const { run, requests, time } = simulate({ 'fetcher.queue.hold.max': 10, 'fetcher.server.delay': 1 }, { report: heldOnce(60_000) })
    const source = new PatientSource(itemsOf(2, 4), time)
    const result = await run(source)
    expect(result).to.include({ items: 8, givenBack: 3 })
    expect(result.abandoned).to.deep.equal([])
    const [first] = requests.filter(({ queueId }) => queueId === 'h0.example') as [SimulatedRequest]
    expect(source.backs).to.deep.equal([{ queueId: 'h0.example', urls: [1, 2, 3].map(n => `http://h0.example/${n}`), untilMs: first.endMs + 60_000 }])
    expect(gapsOf(requests.filter(({ queueId }) => queueId === 'h0.example')).map(({ gapMs }) => gapMs)).to.deep.equal([60_000, 1000, 1000])
  })

  it('for too many failures is given again when these are forgotten, and counts them anew', async () => {
    const values = { 'fetcher.server.delay': 0, 'fetcher.max.exceptions.per.queue': 3, 'fetcher.exceptions.per.queue.clear.after': 100 }
    const { run, requests, time } = simulate(values, { report: () => ({ isException: true }) })
    const source = new PatientSource(itemsOf(1, 5), time)
    const result = await run(source)
    expect(result.items).to.equal(5)
    const gaps = gapsOf(requests).map(({ gapMs }) => gapMs)
    expect(gaps[2]).to.be.within(100_000, 100_001)
    expect([gaps[0], gaps[1], gaps[3]]).to.deep.equal([0, 0, 0])
  })

  it('is given up again if it is given too soon, without a request', async () => {
    const { run, requests, time } = simulate({ 'fetcher.queue.hold.max': 10 }, { report: heldOnce(60_000) })
    const hasty = new PatientSource(itemsOf(1, 2), time)
    let early = 0
    const source: FetchSource = {
      async nextQueues() {
        if (hasty.backs.length === 0 || hasty.backs.length > 3) return hasty.nextQueues()
        early++
        return ['h0.example']
      },
      take: (id, limit) => hasty.take(id, limit),
      giveBack: (id, items, untilMs) => hasty.giveBack(id, items, untilMs),
    }
    await run(source)
    expect(early).to.be.above(2)
    expect(requests).to.have.length(2)
    expect(gapsOf(requests)[0]?.gapMs).to.equal(60_000)
  })

  it('gives turns to fetches that come from elsewhere again, when its time has come', async () => {
    const { run, time } = simulate({ 'fetcher.queue.hold.max': 10, 'fetcher.server.delay': 0 })
    const got: (string | undefined)[] = []
    await withTask({ run, time }, async ({ take, sleep }) => {
      const turn = await take('slow.example')
      turn?.end({ endMs: time.nowMs(), tookMs: 1, isException: true, isThrottled: true, retryAfterMs: 30_000 })
      got.push((await take('slow.example'))?.queueId)
      await sleep(29_000)
      got.push((await take('slow.example'))?.queueId)
      await sleep(1000)
      got.push((await take('slow.example'))?.queueId)
    })
    expect(got).to.deep.equal([undefined, undefined, 'slow.example'])
  })
})

describe('fetches that are no items', () => {
  it('take turns with the items, and the run lasts until they have ended', async () => {
    const { run, requests, time } = simulate({ 'fetcher.server.delay': 2 })
    const asked: { readonly startMs: number; readonly endMs: number }[] = []
    const result = await withTask({ run, time }, async ({ take, sleep }) => {
      for (let count = 0; count < 5; count++) {
        const turn = await take('h0.example')
        const startMs = time.nowMs()
        await sleep(50)
        asked.push({ startMs, endMs: time.nowMs() })
        turn?.end({ endMs: time.nowMs(), tookMs: 50, isException: false })
      }
    })
    expect(result.items).to.equal(2)
    expect(asked).to.have.length(5)
    const all = [...requests, ...asked].sort((a, b) => a.startMs - b.startMs)
    for (const [index, { startMs }] of all.entries()) if (index > 0) expect(startMs - (all[index - 1]?.endMs ?? 0)).to.equal(2000)
  })

  it('get no turn after a stop', async () => {
    const { run, time } = simulate({ 'fetcher.server.delay': 50 })
    const stopper = new AbortController()
    let got: unknown = 'nothing'
    const result = await withTask(
      { run, time },
      async ({ take, sleep }) => {
        await sleep(10)
        const waiting = take('h0.example')
        stopper.abort()
        got = await waiting
      },
      { stopTaking: stopper.signal },
    )
    expect(got).to.equal(undefined)
    expect(result.stoppedBy).to.equal('stopTaking')
  })
})

describe('politeness that is exported while a run goes on', () => {
  it('takes a request in flight for one that ended just now, and keeps a Crawl-delay as long as there is work', async () => {
    const { run, time } = simulate({ 'fetcher.server.delay': 3 }, { tookMs: () => 1000, report: () => ({ crawlDelayMs: 7000 }) })
    const states: PolitenessState[] = []
    const startMs = time.nowMs()
    for (const atMs of [500, 7990, 8500]) time.start(atMs, () => states.push(look()))
    let look = (): PolitenessState => ({})
    await run(itemsOf(1, 3), {
      onStart: fetch => {
        look = () => fetch.exportPoliteness()
      },
    })
    expect(states[0]?.['h0.example']).to.include({ nextMs: startMs + 3500, delayMs: 3000, source: 'option' })
    expect(states[1]?.['h0.example']).to.include({ nextMs: startMs + 8000, delayMs: 7000, isSerial: true })
    expect(states[2]?.['h0.example']).to.include({ nextMs: startMs + 8500 + 7000, source: 'crawl-delay' })
  })

  it('asks no host that it does not name before the time given', async () => {
    const { run, requests, time } = simulate({ 'fetcher.server.delay': 1 })
    const startMs = time.nowMs()
    const known = { nextMs: startMs + 300, delayMs: 300, source: 'option', failures: 0, throttleMs: 0, isSerial: false } as const
    await run(itemsOf(2, 1), { notBeforeMs: startMs + 5000, politeness: { 'h1.example': known } })
    expect(requests.map(request => [request.queueId, request.startMs - startMs])).to.deep.equal([
      ['h1.example', 300],
      ['h0.example', 5000],
    ])
  })
})

interface Task {
  take: (queueId: string) => ReturnType<Parameters<Parameters<FetchRun['runTask']>[0]>[0]['take']>
  sleep: (ms: number) => Promise<void>
}

/** Runs two items of one host, and a task beside them. */
async function withTask(
  { run, time }: Pick<ReturnType<typeof simulate>, 'run' | 'time'>,
  task: (tools: Task) => Promise<void>,
  options: Parameters<ReturnType<typeof simulate>['run']>[1] = {},
): ReturnType<ReturnType<typeof simulate>['run']> {
  let running: Promise<void> = Promise.resolve()
  const sleep = (ms: number): Promise<void> => new Promise(resolve => void time.start(ms, resolve))
  const onStart = (fetch: FetchRun): void => {
    running = fetch.runTask(turns => task({ take: id => turns.take(id), sleep }))
  }
  const result = await run(itemsOf(1, 2), { ...options, onStart })
  await running
  return result
}
