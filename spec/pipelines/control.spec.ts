import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type CliResult, type RunningCli, runCli, startCli } from '../support/cli.js'
import { crawlOptions } from '../support/crawled-folder.js'
import { type SpecServer, startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

interface Status {
  readonly isRunning: boolean
  readonly pid?: number
  readonly urls: number
  readonly crawl?: {
    readonly phase: string
    readonly fetched: number
    readonly queued?: number
    readonly queues?: { readonly slowest: readonly { readonly queueId: string; readonly source: string; readonly delayMs: number }[] }
  }
}

describe('a running crawl', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let server: SpecServer
  let folder: string
  let crawl: string
  let running: RunningCli

  const ask = async (...args: string[]): Promise<CliResult> => runCli([args[0] as string, crawl, ...args.slice(1)])
  const statusOf = async (...options: string[]): Promise<Status> => (await ask('status', '--json', ...options)).json<Status>()[0] as Status

  /** Asks until it is so: a crawl takes its time. */
  async function statusWhere(isReached: (status: Status) => boolean): Promise<Status> {
    for (;;) {
      const status = await statusOf('--slow')
      if (isReached(status)) return status
    }
  }

  before(async () => {
    server = await startServer({
      hosts: ['127.0.0.1', '127.0.0.2'],
      routes: {
        '127.0.0.2/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nCrawl-delay: 20\n' },
        '/page*': { body: '<title>t</title><a href="/page-of-the-slow-one">l</a>' },
      },
    })
    folder = newFolder()
    crawl = join(folder, 'crawl')
    const options = crawlOptions(folder, ['millrace.metrics.port=0', 'millrace.grace=1', 'millrace.roll.pages=1'])
    const seeds = [`${server.origin()}/page1`, `${server.origin('127.0.0.2')}/page1`, `${server.origin('127.0.0.2')}/page2`]
    running = startCli(['crawl', crawl, ...seeds, '--forever', ...options], { timeoutMs: 600_000 }) // for all that follows
    await running.waitFor(/metrics/)
    await statusWhere(({ crawl: figures }) => (figures?.fetched ?? 0) >= 1)
  })
  after(async () => {
    running.kill()
    await server.close()
  })

  it('says what it does, and which host it waits for and why', async () => {
    const status = await statusWhere(({ crawl: figures }) => (figures?.queues?.slowest.length ?? 0) > 0)
    expect(status).to.include({ isRunning: true, pid: running.child.pid })
    expect(status.crawl?.queues?.slowest[0]).to.include({ queueId: '127.0.0.2', source: 'crawl-delay', delayMs: 20_000 })
    const text = await ask('status', '--slow')
    expect(text.stdout).to.match(/127\.0\.0\.2: .* to wait; delay 20\.0 s \(crawl-delay\)/)
  })

  it('tells Prometheus what is queued, what is waited for, and what the db holds', async () => {
    const { crawl: figures } = await statusWhere(status => status.crawl?.queued !== undefined)
    expect(figures?.queued).to.be.at.least(1)
    const url = /http:\S+\/metrics/.exec(running.stderrSoFar())?.[0] ?? ''
    const metrics = await (await fetch(url)).text()
    expect(metrics).to.match(/^millrace_queued_urls [1-9]/m)
    expect(metrics).to.match(/^millrace_fetch_queues_waiting\{source="crawl-delay"\} 1$/m)
    expect(metrics).to.match(/^millrace_crawldb_urls\{status="db_unfetched"\} [1-9]/m)
  })

  it('answers readdb and explain as one that stands still does', async () => {
    const record = await ask('readdb', '--url', `${server.origin()}/page1`)
    expect(record.status, record.stderr).to.equal(0)
    expect(record.stdout).to.match(/^URL: .*\/page1\nVersion: 7\nStatus: /)
    expect((await ask('readdb', '--url', 'http://unknown.example/')).status).to.equal(1)
    const verified = await ask('readdb', '--verify')
    expect(verified.status, verified.stdout).to.equal(0)
    expect((await ask('explain', `${server.origin()}/page1`)).stdout).to.include('/page1')
    expect((await ask('readdb')).status, 'wrong use').to.equal(2)
  })

  it('takes seeds from files and stdin of another process, and fetches them', async () => {
    const before = await statusOf()
    writeFileSync(join(folder, 'more.txt'), `${server.origin()}/page3\n`)
    const rules = ['--rules', 'rules.txt']
    const fromFile = await runCli(['inject', 'crawl', 'more.txt', ...rules], { cwd: folder })
    expect(fromFile.json()[0]).to.include({ added: 1 })
    const fromPipe = await runCli(['inject', crawl, '-', ...rules], { stdin: `${server.origin()}/page4\n${server.origin()}/page5\n`, cwd: folder })
    expect(fromPipe.json()[0], fromPipe.stderr).to.include({ read: 2, added: 2 })
    await statusWhere(({ crawl: figures }) => (figures?.fetched ?? 0) >= (before.crawl?.fetched ?? 0) + 3)
    expect(server.requests.map(({ target }) => target)).to.include.members(['/page3', '/page4', '/page5'])
  })

  it('gives documents of what it has merged, by rules of the asker’s working folder, to several at once', async () => {
    while (!(await ask('index')).stdout.includes('/page1"')); // until its segment is merged
    writeFileSync(join(folder, 'mapping.json'), JSON.stringify({ rename: { title: 'heading' } }))
    const plugin = "export const apiVersion = 1\nexport const indexingFilter = { name: 'own', filter: document => document }\n"
    writeFileSync(join(folder, 'own.mjs'), plugin)
    const options = ['--mapping', 'mapping.json', '-D', 'millrace.plugins=own.mjs', '-D', 'index.static=by:holder']
    const runs = await Promise.all([1, 2].map(() => runCli(['index', 'crawl', ...options], { cwd: folder })))
    for (const indexed of runs) {
      expect(indexed.status, indexed.stderr).to.equal(0)
      const documents = indexed.json<{ readonly id: string; readonly heading: string; readonly by: string }>()
      expect(documents[0]).to.include({ heading: 't', by: 'holder' })
      expect(documents.map(({ id }) => id)).to.include(`${server.origin()}/page1`)
    }
    const { stdout } = await ask('readseg', '--list', '--json')
    const { name = '' } = JSON.parse(stdout.split('\n')[0] ?? '') as { name?: string }
    const named = await runCli(['index', 'crawl', `./crawl/segments/${name}`], { cwd: folder })
    expect(named.json<{ readonly segment: string }>().map(({ segment }) => segment)).to.deep.equal([name])
  })

  it('fetches again what another process says is due', async () => {
    const url = `${server.origin()}/page3`
    const timesAsked = (): number => server.requests.filter(({ host, target }) => host === '127.0.0.1' && target === '/page3').length
    expect(timesAsked()).to.equal(1)
    while (!/^Status: 2 /m.test((await ask('readdb', '--url', url)).stdout)); // until its segment is merged
    expect((await ask('reschedule', '--url', url, '--due', 'now')).json()[0]).to.include({ chosen: 1, changed: 1 })
    while (timesAsked() < 2) await new Promise(resolve => setImmediate(resolve))
  })

  it('is copied while it runs, to a folder that is sound', async () => {
    const to = join(folder, 'copy')
    const copied = await ask('backup', to)
    expect(copied.status, copied.stderr).to.equal(0)
    const checked = await runCli(['doctor', to])
    expect(checked.status, checked.stdout).to.equal(0)
    expect((await runCli(['readdb', to, '--url', `${server.origin()}/page1`])).status).to.equal(0)
  })

  it('refuses what must have the db for itself, naming the process', async () => {
    for (const command of ['doctor', 'generate', 'updatedb']) {
      const refused = await ask(command)
      expect(refused.status, command).to.equal(3)
      expect(refused.stderr).to.match(/DB_LOCKED/)
      expect(refused.stderr).to.include(String(running.child.pid))
    }
  })

  it('stops when it is told to; afterwards its last figures can still be read', async () => {
    const stopped = await ask('stop')
    expect(stopped.status, stopped.stderr).to.equal(0)
    const ended = await running.result
    expect(ended.status, ended.stderr).to.equal(0)
    expect(ended.json()[0]).to.include({ stoppedBy: 'signal' })
    expect(existsSync(join(crawl, 'control.sock'))).to.equal(false)
    const status = await statusOf()
    expect(status).to.include({ isRunning: false })
    expect(status.crawl).to.include({ phase: 'ended' })
    expect(status.crawl?.fetched).to.be.at.least(4)
    expect((await ask('stop')).status, 'nothing runs any more').to.equal(1)
  })
})

describe('a running round', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()

  it('says how many items of its list wait on disk', async () => {
    const seeds = Array.from({ length: 300 }, (_, number) => `/page${number}`)
    const server = await startServer({ routes: { '/robots.txt': { status: 404 }, '/page*': () => undefined } })
    const folder = newFolder()
    writeFileSync(join(folder, 'seeds.txt'), seeds.map(path => `${server.origin()}${path}\n`).join(''))
    const running = startCli(['crawl', join(folder, 'crawl'), '--seeds', join(folder, 'seeds.txt'), '--rounds', '1', ...crawlOptions(folder, [])])
    try {
      while (!server.requests.some(({ target }) => target.startsWith('/page'))) await new Promise(resolve => setImmediate(resolve))
      const { stdout } = await runCli(['status', join(folder, 'crawl'), '--json'])
      expect(JSON.parse(stdout).crawl.queued).to.be.within(1, seeds.length - 1)
    } finally {
      running.kill()
      await running.result
      await server.close()
    }
  })
})
