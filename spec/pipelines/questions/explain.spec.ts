import { expect } from 'chai'
import { dbDatum } from '../../support/db-datum.js'
import { putRecords, specJob, specTimeMs } from '../../support/job-fixture.js'
import { runCommand } from '../../support/run-command.js'
import { type SpecServer, startServer } from '../../support/server.js'
import { useTempFolders } from '../../support/temp-folder.js'

const dayMs = 86_400_000

interface Explained {
  readonly url?: string
  readonly filter?: { readonly accepted: boolean; readonly steps: readonly { readonly file: string; readonly line: number }[] }
  readonly robots?: { readonly allowed: boolean; readonly line: number | null; readonly rule: string | null; readonly crawlDelayMs: number | null }
  readonly record: { readonly status: string } | null
  readonly schedule?: { readonly isDue: boolean; readonly arithmetic: string; readonly afterNextFetch: readonly object[] }
  readonly score?: {
    readonly score: number
    readonly before: number
    readonly contributions: readonly { readonly from: string; readonly score: number }[]
  }
  readonly inlinks?: { readonly count: number }
  readonly limits?: readonly { readonly option: string; readonly verdict: string }[]
  readonly lock?: { readonly segment: string; readonly isHeld: boolean }
  readonly last: { readonly status: string; readonly cause?: string; readonly httpStatus?: number } | null
  readonly next: { readonly state: string; readonly atMs?: number; readonly why: string }
}

async function explain(folder: string, url: string, ...args: string[]): Promise<Explained & { readonly exit: number }> {
  const ran = await runCommand(['explain', folder, url, '--json', ...args])
  return { ...ran.json<Explained>(), exit: ran.status }
}

describe('explain, of records', () => {
  const newFolder = useTempFolders()
  let folder: string
  before(async () => {
    folder = newFolder()
    const lock = { 'nutch.segment.name': '20260130000000', _ngt_: String(specTimeMs - 1000), _ngu_: String(specTimeMs + dayMs) }
    await putRecords(specJob(folder), [
      dbDatum({ url: 'http://a.example/due', fetchTimeMs: specTimeMs - 1 }),
      dbDatum({ url: 'http://a.example/later', status: 'db_fetched', fetchTimeMs: specTimeMs + dayMs, fetchIntervalS: 172_800 }),
      dbDatum({ url: 'http://a.example/listed', fetchTimeMs: specTimeMs - 1, metadata: lock }),
      dbDatum({ url: 'http://a.example/pic.jpg', fetchTimeMs: specTimeMs - 1 }),
      dbDatum({ url: 'http://a.example/best', fetchTimeMs: specTimeMs - 1, score: 5 }),
      dbDatum({ url: 'http://a.example/low', fetchTimeMs: specTimeMs - 1, score: 0.125 }),
      dbDatum({ url: 'http://www.a.example/top', fetchTimeMs: specTimeMs - 1, score: 9 }),
      dbDatum({ url: 'http://www.a.example/tenth', fetchTimeMs: specTimeMs - 1, score: Math.fround(0.1) }),
    ])
    await runCommand(['generate', folder, '--top-n', '0'])
    await putRecords(specJob(folder), [dbDatum({ url: 'http://a.example/far', status: 'db_fetched', fetchTimeMs: specTimeMs + 4000 * dayMs })])
  })

  for (const { url, args = [], state, why, atMs } of [
    { url: '/due', state: 'due', why: 'the next generate', atMs: specTimeMs },
    {
      url: '/later',
      state: 'waits',
      why: '2026-01-30T00:00:00.000Z + interval 172800 s (2 days) = 2026-02-01T00:00:00.000Z',
      atMs: specTimeMs + dayMs,
    },
    { url: '/listed', state: 'listed', why: 'segment 20260130000000, which is not there any more; the lock ends 2026-02-01T00:00:00.000Z' },
    { url: '/pic.jpg', state: 'kept out', why: 'regex-urlfilter.txt:' },
    { url: '/low', args: ['-D', 'generate.min.score=1'], state: 'kept out', why: 'generate.min.score is 1, and its sort value is 0.125' },
    { url: '/due', args: ['-D', 'generate.restrict.status=db_gone'], state: 'kept out', why: 'its status is db_unfetched' },
    { url: '/due', args: ['-D', 'generate.restrict.status=unfetched'], state: 'due', why: 'the next generate' },
    { url: '/due', args: ['-D', 'generate.min.interval=60'], state: 'kept out', why: 'its interval is 2592000 s' },
    { url: '/due', args: ['-D', 'generate.max.count=1'], state: 'due', why: 'come before it' },
    { url: '/missing', state: 'unknown', why: 'no seed names it' },
    { url: '/x.jpg', state: 'unknown', why: 'rejects it' },
  ]) {
    it(`${url} ${args.join(' ')}: ${state}`, async () => {
      const { next, exit, record } = await explain(folder, `http://a.example${url}`, ...args)
      expect(next.state).to.equal(state)
      expect(next.why).to.include(why)
      if (atMs !== undefined) expect(next.atMs).to.equal(atMs)
      expect(exit).to.equal(record === null ? 1 : 0)
    })
  }

  it('prints a sort value as Java prints its float', async () => {
    const { limits } = await explain(folder, 'http://www.a.example/tenth')
    expect(limits?.[0]).to.include({ option: 'generate.min.score', why: 'its sort value is 0.1' })
  })

  for (const { mode, url, verdict, why } of [
    { mode: 'host', url: 'http://a.example/best', verdict: 'passes', why: '0 of a.example are due and come before it' },
    { mode: 'domain', url: 'http://a.example/best', verdict: 'may refuse', why: '1 of a.example are due and come before it' },
    { mode: 'domain', url: 'http://www.a.example/top', verdict: 'passes', why: '0 of a.example are due and come before it' },
    { mode: 'host', url: 'http://www.a.example/tenth', verdict: 'may refuse', why: '1 of www.a.example are due and come before it' },
    { mode: 'domain', url: 'http://www.a.example/tenth', verdict: 'may refuse', why: '5 of a.example are due and come before it' },
  ]) {
    it(`counts by ${mode} what comes before ${url}`, async () => {
      const { limits } = await explain(folder, url, '-D', 'generate.max.count=1', '-D', `generate.count.mode=${mode}`)
      expect(limits?.at(-1)).to.deep.equal({ option: `generate.max.count by ${mode}`, value: 1, verdict, why })
    })
  }

  it('asks the HostDb where the limit is an expression over it', async () => {
    const own = newFolder()
    await putRecords(specJob(own), [dbDatum({ url: 'http://a.example/1' }), dbDatum({ url: 'http://b.example/1' })])
    await runCommand(['updatehostdb', own])
    const limit = ['-D', "generate.max.count.expr=host == 'a.example' ? 0 : 7"]
    const { next } = await explain(own, 'http://a.example/1', ...limit)
    expect(next).to.deep.include({ state: 'kept out', why: 'generate.max.count.expr by host is 0, and nothing of a.example is taken' })
    const { limits } = await explain(own, 'http://b.example/1', ...limit)
    expect(limits?.at(-1)).to.include({ option: 'generate.max.count.expr by host', value: 7, verdict: 'passes' })
  })

  it('foretells that an interval beyond the maximum is cut, and the page fetched anew', async () => {
    const defines = ['-D', 'db.fetch.schedule.class=adaptive', '-D', 'db.fetch.interval.max=200000']
    const { schedule } = await explain(folder, 'http://a.example/later', ...defines)
    const dueMs = specTimeMs + dayMs
    expect(schedule?.afterNextFetch).to.deep.equal([
      { change: 'modified', intervalS: 138_240, dueMs: dueMs + 138_240_000 }, // 172800·(1−0.2)
      { change: 'notmodified', intervalS: 180_000, dueMs: dueMs + 200_000_000, isForced: true }, // 172800·1.4 is beyond it: 0.9·200000
    ])
    const { stdout } = await runCommand(['explain', folder, 'http://a.example/later', ...defines])
    expect(stdout).to.include('interval 180000 s (2.08 days), due 2026-02-03T07:33:20.000Z, anew: its interval was beyond the longest')
  })

  it('says that a time beyond the maximum is due now', async () => {
    const { schedule } = await explain(folder, 'http://a.example/far')
    expect(schedule?.isDue).to.equal(true)
    expect(schedule?.arithmetic).to.include('further off than db.fetch.interval.max')
    const dueMs = specTimeMs + 30 * dayMs // fetched now, and again after its 30 days
    expect(schedule?.afterNextFetch).to.deep.equal(['modified', 'notmodified'].map(change => ({ change, intervalS: 2_592_000, dueMs })))
  })

  it('says what is no URL, with the rule that rejects it', async () => {
    const { exit, next, url } = await explain(folder, 'mailto:x@a.example')
    expect({ exit, state: next.state, url }).to.deep.equal({ exit: 1, state: 'unknown', url: undefined })
  })

  it('shows each step of normalizing in text', async () => {
    const { stdout } = await runCommand(['explain', folder, 'HTTP://a.example/x/../due'])
    expect(stdout).to.match(/^http:\/\/a\.example\/due\nnext: due/)
    expect(stdout).to.include('HTTP://a.example/x/../due -> http://a.example/due')
  })
})

describe('explain, of a crawl', () => {
  const newFolder = useTempFolders()
  let folder: string
  let server: SpecServer
  before(async () => {
    folder = newFolder()
    const html = (body: string) => ({ headers: { 'Content-Type': 'text/html' }, body })
    server = await startServer({
      hosts: ['127.0.0.1', '127.0.0.2'],
      routes: {
        '/robots.txt': { body: 'User-agent: *\nDisallow: /secret/\nCrawl-delay: 0.01\n' },
        '127.0.0.1/': (_request, response) => {
          response.setHeader('Content-Type', 'text/html')
          response.end(`<a href="/secret/x">x</a><a href="/gone">g</a><a href="${server.origin('127.0.0.2')}/b">there</a><a href="/">self</a>`)
        },
        '127.0.0.2/b': html('<a href="/">home</a>'),
      },
    })
    const settings = [
      'http.agent.name=testbot',
      'fetcher.server.delay=0',
      'fetcher.min.crawl.delay=0',
      'millrace.workers=0',
      'linkdb.ignore.internal.links=false',
    ]
    const defines = settings.flatMap(pair => ['-D', pair])
    await runCommand(['crawl', folder, `${server.origin()}/`, '--rounds', '2', '--allow-address', 'loopback', ...defines])
    await runCommand(['invertlinks', folder, ...defines])
  })
  after(() => server.close())

  it('names the line of robots.txt that forbids, and how the fetch ended', async () => {
    const { robots, last, record, schedule } = await explain(folder, `${server.origin()}/secret/x`)
    expect(robots).to.include({ allowed: false, line: 2, rule: 'Disallow: /secret/', crawlDelayMs: 10 })
    expect(last?.status).to.equal('fetch_gone')
    expect(last?.cause).to.include('robots.txt')
    expect(record?.status).to.equal('db_gone')
    expect(schedule?.arithmetic).to.equal(
      'fetched 2026-01-31T00:00:00.000Z + interval 3888000 s (45 days) (grown by half for a failure that stays) = 2026-03-17T00:00:00.000Z',
    )
  })

  it('names the HTTP status of a page that is gone', async () => {
    const { last, robots } = await explain(folder, `${server.origin()}/gone`)
    expect(last).to.include({ status: 'fetch_gone', httpStatus: 404 })
    expect(robots?.allowed).to.equal(true)
  })

  it('takes a score apart: what each link brought', async () => {
    const { score, inlinks } = await explain(folder, `${server.origin('127.0.0.2')}/b`)
    // The seed's 1.0 in equal parts to its three links: that to itself does not count (Nutch's ParseOutputFormat).
    expect(score?.score).to.be.closeTo(1 / 3, 1e-6)
    expect(score?.before).to.equal(0)
    expect(score?.contributions.map(({ from }) => from)).to.deep.equal([`${server.origin()}/`])
    expect(score?.contributions[0]?.score).to.be.closeTo(1 / 3, 1e-6)
    expect(inlinks?.count).to.equal(1)
  })

  it('tells the same in text', async () => {
    const { stdout } = await runCommand(['explain', folder, `${server.origin()}/secret/x`])
    for (const part of ['line 2, group *: Disallow: /secret/', 'Crawl-delay 10 ms', 'db_gone', 'fetch_gone (robots_denied)'])
      expect(stdout).to.include(part)
  })
})

describe('explain, of a score that db.update.max.inlinks cut', () => {
  const newFolder = useTempFolders()

  it('has the best links as its terms, and no other', async () => {
    const html = (body: string) => ({ headers: { 'Content-Type': 'text/html' }, body })
    const routes = { '/': html('<a href=a>a</a><a href=b>b</a>'), '/a': html('<a href=t>t</a>'), '/b': html('<a href=t>t</a><a href=u>u</a>') }
    const server = await startServer({ routes })
    const folder = newFolder()
    const cut = ['-D', 'db.update.max.inlinks=1']
    const options = ['--allow-address', 'loopback', '-D', 'millrace.workers=0', '-D', 'fetcher.server.delay=0', ...cut]
    await runCommand(['crawl', folder, `${server.origin()}/`, '--rounds', '2', ...options])
    await server.close()
    const { score } = await explain(folder, `${server.origin()}/t`, ...cut)
    // The root's 1 gives a half to each of its two pages: /a brings all of it, /b the half of it, which is cut.
    expect(score).to.deep.include({ score: 0.5, before: 0, fromLinks: 0.5, contributionCount: 1 })
    expect(score?.contributions.map(({ from }) => from)).to.deep.equal([`${server.origin()}/a`])
  })
})

describe('explain, of a robots.txt that came in part', () => {
  const newFolder = useTempFolders()

  it('says what the fetcher made of it: nothing is allowed', async () => {
    const part = { status: 206, headers: { 'content-range': 'bytes 0-12/100' }, body: 'User-agent: *' }
    const server = await startServer({ routes: { '/robots.txt': part, '/*': { body: 'fine' } } })
    const folder = newFolder()
    await runCommand(['crawl', folder, `${server.origin()}/x`, '--rounds', '1', '--allow-address', 'loopback', '-D', 'millrace.workers=0'])
    await server.close()
    const { robots, last } = await explain(folder, `${server.origin()}/x`)
    expect(last?.status).to.equal('fetch_retry')
    expect(robots).to.include({ allowed: false, line: null, reason: 'robots.txt came in part' })
  })
})
