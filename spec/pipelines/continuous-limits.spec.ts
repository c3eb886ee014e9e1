import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { systemClock } from '../../lib/log/clock.js'
import { metadataKeys } from '../../lib/record/metadata.js'
import { startCli } from '../support/cli.js'
import { allRecords, specJob } from '../support/job-fixture.js'
import { type CommandRun, type CommandRunOptions, runCommand } from '../support/run-command.js'
import { readFetchList } from '../support/segment-files.js'
import { type Route, type SpecServer, startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

const page =
  (links: (path: string) => readonly string[]): Route =>
  (request, response) => {
    const body = links(request.url ?? '').map(link => `<a href="${link}">x</a>`)
    response.writeHead(200, { 'content-type': 'text/html' }).end(body.join(''))
  }
/** Pages that go on for ever: each links to the next three. */
const endless = page(path => [1, 2, 3].map(more => `/n${Number(path.slice(2)) * 3 + more}`))

describe('the end of a crawl', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let server: SpecServer | undefined
  let folder: string
  beforeEach(() => {
    folder = newFolder()
    writeFileSync(join(folder, 'rules.txt'), '+.\n')
  })
  afterEach(() => server?.close())

  function argvOf(seeds: readonly string[], limits: readonly string[], properties: readonly string[] = []): string[] {
    const fixed = ['http.agent.name=testbot', 'millrace.workers=0', 'fetcher.server.delay=0'].flatMap(pair => ['-D', pair])
    const rules = ['--rules', join(folder, 'rules.txt'), '--allow-address', 'loopback']
    return ['crawl', join(folder, 'crawl'), ...seeds, ...limits, ...rules, ...fixed, ...properties.flatMap(pair => ['-D', pair])]
  }

  const crawl = (seeds: readonly string[], limits: readonly string[], properties: readonly string[] = [], options: CommandRunOptions = {}) =>
    runCommand(argvOf(seeds, limits, properties), options)

  const pagesAsked = (): string[] => server?.requests.map(({ target }) => target).filter(target => target !== '/robots.txt') ?? []

  async function records(): ReturnType<typeof allRecords> {
    return allRecords(specJob(join(folder, 'crawl')))
  }

  async function expectNoLock(): Promise<void> {
    for (const [url, { metadata }] of await records()) expect(metadata, url).to.not.have.any.keys(metadataKeys.segmentName, metadataKeys.lockedUntil)
  }

  it('is exact with --max-pages, whatever is in flight and whatever fails', async () => {
    server = await startServer({
      routes: {
        '/n*': (request, response) => {
          if (Number(request.url?.slice(2)) % 3 === 2) response.writeHead(404).end()
          else if (Number(request.url?.slice(2)) % 7 === 3) response.writeHead(302, { location: `${request.url}00` }).end()
          else return (endless as (...args: unknown[]) => void)(request, response)
        },
      },
    })
    const run = await crawl([`${server.origin()}/n1`], ['--max-pages', '37'], ['http.redirect.max=3', 'fetcher.threads.per.queue=8'])
    expect(run.json()).to.include({ fetched: 37, stoppedBy: 'pages' })
    const fetched = [...(await records()).values()].filter(({ status }) => status === 'db_fetched')
    expect(fetched).to.have.length(37)
    await expectNoLock()
  })

  it('comes in time with --max-time, and what is fetched is merged', async () => {
    server = await startServer({ routes: { '/n*': endless } })
    const startedMs = performance.now()
    const run = await crawl([`${server.origin()}/n1`], ['--max-time', '700ms'])
    expect(performance.now() - startedMs).to.be.within(700, 15_000)
    expect(run.json()).to.include({ stoppedBy: 'time' })
    const fetched = [...(await records()).values()].filter(({ status }) => status === 'db_fetched')
    expect(fetched).to.have.length(new Set(pagesAsked()).size)
    await expectNoLock()
  })

  for (const { by, options } of [
    { by: 'time', options: ['fetcher.timelimit.mins=0.01'] },
    {
      by: 'throughput',
      options: ['fetcher.throughput.threshold.pages=1000000', 'fetcher.throughput.threshold.retries=0', 'fetcher.throughput.threshold.check.after=0'],
    },
  ])
    it(`is told as what it is, without rounds too, where an option ends the fetch: ${by}`, async () => {
      server = await startServer({ routes: { '/n*': endless } })
      const run = await crawl([`${server.origin()}/n1`], ['--forever'], options)
      expect(run.json()).to.include({ stoppedBy: by })
      expect(run.json<{ counts: object }>().counts).to.include({ [`fetch/ended_by_${by}`]: 1 })
      expect(run.log.filter(line => line.includes('the fetch ends before all is fetched'))).to.have.length(1)
      await expectNoLock()
    })

  for (const limits of [['--until-idle'], ['--rounds', '9']])
    it(`comes with ${limits[0]} although a host may not be asked for long; its pages stay due`, async () => {
      server = await startServer({
        hosts: ['127.0.0.1', '127.0.0.2'],
        routes: {
          '127.0.0.1/*': page(path => (path === '/' ? ['/a', '/b'] : [])),
          '127.0.0.2/robots.txt': { status: 404 },
          '127.0.0.2/*': { status: 429, headers: { 'Retry-After': '3600' } },
        },
      })
      const seeds = [`${server.origin()}/`, ...['/1', '/2', '/3'].map(path => `${server?.origin('127.0.0.2')}${path}`)]
      const run = await crawl(seeds, limits)
      expect(run.json<{ fetched: number; counts: object }>()).to.include({ fetched: 3, stoppedBy: 'idle' })
      expect(run.json<{ counts: object }>().counts).to.include({ 'crawl/queues_held': 1 })
      expect(run.log.filter(line => line.includes('fetcher.queue.hold.max'))).to.have.length(1)
      expect(server.requests.filter(({ host, target }) => host === '127.0.0.2' && target !== '/robots.txt')).to.have.length(1)
      await expectNoLock()
      const generated = await runCommand(['generate', join(folder, 'crawl'), '--rules', join(folder, 'rules.txt')])
      const list = readFetchList(join(folder, 'crawl', 'segments', generated.stdout.trim()))
      expect(list).to.have.length(2)
      expect(list.every(url => url.startsWith(server?.origin('127.0.0.2') ?? '-'))).to.equal(true)
    })

  it('with --forever waits for a host that may not be asked, and for pages that become due again', async () => {
    let refusals = 0
    server = await startServer({
      hosts: ['127.0.0.1', '127.0.0.2'],
      routes: {
        '/robots.txt': { status: 404 },
        '127.0.0.1/*': page(() => []),
        '127.0.0.2/*': (_request, response) => {
          if (refusals++ === 0) response.writeHead(503, { 'retry-after': '1' }).end()
          else response.writeHead(200, { 'content-type': 'text/plain' }).end('at last')
        },
      },
    })
    const stopper = new AbortController()
    const seeds = [`${server.origin()}/a`, ...['/1', '/2'].map(path => `${server?.origin('127.0.0.2')}${path}`)]
    const properties = ['fetcher.queue.hold.max=0.2', 'db.fetch.interval.default=2']
    const running = crawl(seeds, ['--forever'], properties, { signal: stopper.signal, clock: systemClock })
    const seen = (host: string): readonly number[] =>
      server?.requests.filter(request => request.host === host && request.target !== '/robots.txt').map(({ startMs }) => startMs) ?? []
    await until(() => seen('127.0.0.1').length >= 3 && seen('127.0.0.2').length >= 2, running)
    stopper.abort()
    const run = await running
    expect(run.json()).to.include({ stoppedBy: 'signal' })
    for (const [index, atMs] of seen('127.0.0.1').entries()) if (index > 0) expect(atMs - (seen('127.0.0.1')[index - 1] ?? 0)).to.be.above(1900)
    expect((seen('127.0.0.2')[1] ?? 0) - (seen('127.0.0.2')[0] ?? 0)).to.be.above(990)
    await expectNoLock()
  })

  it('leaves no folder of a segment that nothing came to', async () => {
    server = await startServer({ routes: { '/n*': page(() => []) } })
    const seeds = [`${server.origin()}/n1`]
    await crawl(seeds, ['--until-idle'])
    expect(readdirSync(join(folder, 'crawl', 'segments'))).to.have.length(1)
    const again = await crawl(seeds, ['--until-idle'])
    expect(again.json()).to.include({ fetched: 0, rounds: 0, stoppedBy: 'idle' })
    expect(readdirSync(join(folder, 'crawl', 'segments'))).to.have.length(1)
  })

  it('after SIGTERM leaves all merged, and the same command goes on to the end', async () => {
    server = await startServer({
      routes: {
        '/n*': async (request, response) => {
          await wait(20)
          const number = Number(request.url?.slice(2))
          const links = number < 30 ? [number * 2, number * 2 + 1].map(next => `<a href="/n${next}">x</a>`) : []
          response.writeHead(200, { 'content-type': 'text/html' }).end(links.join(''))
        },
      },
    })
    const argv = argvOf([`${server.origin()}/n1`], ['--until-idle'])
    const first = startCli(argv)
    await until(() => pagesAsked().length >= 6, first.result)
    first.kill('SIGTERM')
    const stopped = await first.result
    expect(stopped.status, stopped.stderr).to.equal(0)
    const { fetched, stoppedBy } = stopped.json<{ fetched: number; stoppedBy: string }>().at(-1) ?? { fetched: 0, stoppedBy: '' }
    expect(stoppedBy).to.equal('signal')
    expect([...(await records()).values()].filter(({ status }) => status === 'db_fetched')).to.have.length(fetched)
    await expectNoLock()
    const second = await runCommand(argv, { clock: systemClock })
    expect(second.json()).to.include({ fetched: 59, urls: 59, stoppedBy: 'idle' })
    expect(pagesAsked().sort()).to.deep.equal([...new Set(pagesAsked())].sort())
  })
})

describe('a crawl that is stopped before it fetches', () => {
  const newFolder = useTempFolders()

  for (const limits of [['--until-idle'], ['--rounds', '2']]) {
    it(`has totals as any other, and goes on with its seeds (${limits.join(' ')})`, async () => {
      const folder = newFolder()
      writeFileSync(join(folder, 'rules.txt'), '+.\n')
      const argv = [
        'crawl',
        join(folder, 'crawl'),
        'http://127.0.0.1:9/',
        ...limits,
        '--rules',
        join(folder, 'rules.txt'),
        '--allow-address',
        'loopback',
      ]
      const stopped = await runCommand(argv, { signal: AbortSignal.abort(new Error('stopped by SIGTERM')) })
      expect(stopped.json()).to.include({ fetched: 0, stoppedBy: 'signal' })
      expect((await runCommand(argv)).json()).to.include({ fetched: 0, urls: 1, stoppedBy: 'idle' })
    })
  }
})

/** Waits until something holds; fails if the crawl ends before. */
async function until(holds: () => boolean, running: Promise<CommandRun | unknown>): Promise<void> {
  let hasEnded = false
  running.then(
    () => {
      hasEnded = true
    },
    () => {
      hasEnded = true
    },
  )
  while (!holds()) {
    if (hasEnded) throw new Error('the crawl ended before')
    await wait(10)
  }
}
