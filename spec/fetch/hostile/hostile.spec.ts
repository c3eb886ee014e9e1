import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import type { FetchedPage } from '../../../lib/record/exchange.js'
import { storedUrl } from '../../../lib/record/url.js'
import { type FetchedRun, type FetchSetup, itemFor, setUpFetch } from '../fetch-setup.js'
import { contentLimit } from './in-the-body.js'
import { plays } from './plays.js'

const timeoutMs = 1000
const timeLimitMs = 2500

describe('a hostile server', function hostile() {
  this.timeout(20_000)
  let worker: Worker
  let origin: string
  let setup: FetchSetup
  let run: FetchedRun
  const urlOf = (index: number) => `${origin}/${index}`

  const seenByServer = async (): Promise<{ readonly targets: readonly string[]; readonly openSockets: number }> => {
    worker.postMessage('report')
    const [report] = await once(worker, 'message')
    return report
  }

  before(async () => {
    worker = new Worker(new URL('./hostile-worker.js', import.meta.url))
    const [started] = await once(worker, 'message')
    origin = started
    setup = setUpFetch(
      { 'http.timeout': timeoutMs, 'http.time.limit': timeLimitMs / 1000, 'http.content.limit': contentLimit, 'fetcher.threads.fetch': 40 },
      { admitUrl: url => (url.length > 4096 ? { dropped: 'too_long' } : { url: storedUrl(url) }) },
    )
    run = await setup.fetch(plays.map((_, index) => itemFor(urlOf(index), {}, `queue ${index}`)))
  })
  after(async () => {
    setup.client.close()
    await worker.terminate()
  })

  for (const [index, { name, outcome: wanted, cause, payload }] of plays.entries()) {
    it(`${name}: ends as ${wanted.status}${wanted.causeClass === undefined ? '' : ` (${wanted.causeClass})`}`, () => {
      const outcome = run.outcome(urlOf(index))
      expect(outcome).to.include(wanted)
      if (!('truncated' in wanted) && wanted.status === 'fetch_success') expect(outcome.truncated).to.equal(undefined)
      if (cause !== undefined) expect(outcome.cause).to.match(cause)
      expect(outcome.timing.endMs - outcome.timing.startMs, 'time').to.be.below(timeLimitMs + 1500)
      const { exchanges } = run.pages.find(({ outcome: { url } }) => url === urlOf(index)) as FetchedPage
      const content = exchanges.at(-1)?.payload ?? Buffer.alloc(0)
      if (typeof payload === 'string') expect(Buffer.from(content).toString('latin1')).to.equal(payload)
      if (typeof payload === 'number') expect(content.length).to.equal(payload)
    })
  }

  it('plays at least 60 misbehaviours', () => expect(plays.length).to.be.at.least(60))

  it('asks again only where a kept connection was closed without a word, and then once', async () => {
    const counts = new Map<string, number>()
    for (const target of (await seenByServer()).targets) counts.set(target, (counts.get(target) ?? 0) + 1)
    const isLed = (target: string): boolean => target === '/robots.txt' || target.startsWith('/good')
    expect([...counts].filter(([target, count]) => count > 2 && !isLed(target))).to.deep.equal([])
    expect(run.pages.some(({ outcome }) => outcome.url.endsWith('/good') && outcome.status === 'fetch_success')).to.equal(true)
  })

  it('lets nothing of an answer into a request', async () => {
    expect((await seenByServer()).targets.filter(target => /[^\x21-\x7e]/.test(target))).to.deep.equal([])
  })

  it('leaves no connection open', async () => {
    setup.client.close()
    for (let tries = 0; tries < 100 && (await seenByServer()).openSockets > 0; tries++) await wait(10)
    expect(setup.client.openConnections()).to.equal(0)
    expect((await seenByServer()).openSockets).to.equal(0)
  })
})
