import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { fetchTimeMs } from '../segment/segment-fixtures.js'
import { startCli } from '../support/cli.js'
import { type CommandRun, runCommand } from '../support/run-command.js'
import { type EngineOptions, type SearchEngine, startSearchEngine } from '../support/search-engine.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'
import { crawledSegment, type SpecPage } from './segments/crawled-segment.js'

const dayMs = 86_400_000
const moved = { status: 'fetch_redir_perm', protocolStatus: 'moved', httpStatus: 301 } as const
const gone = { status: 'fetch_gone', protocolStatus: 'notfound', httpStatus: 404 } as const
const unchanged = { status: 'fetch_notmodified', protocolStatus: 'notmodified', httpStatus: 304 } as const
const failed = { status: 'fetch_retry', protocolStatus: 'exception', httpStatus: 503 } as const
const first: readonly SpecPage[] = [
  { url: 'http://a.test/', body: 'home, old', links: ['http://a.test/kept', 'http://b.test/'] },
  { url: 'http://a.test/kept', body: 'kept', links: ['http://b.test/'] },
  { url: 'http://a.test/lost', body: 'lost', links: ['http://b.test/'] },
  { url: 'http://a.test/moving', body: 'moving', links: [] },
  { url: 'http://b.test/', body: 'b', links: ['http://a.test/'] },
]
const second: readonly SpecPage[] = [
  { url: 'http://a.test/', body: 'home, new', links: ['http://b.test/'] },
  { url: 'http://a.test/kept', body: '', outcome: unchanged },
  { url: 'http://a.test/lost', body: '', outcome: gone },
  { url: 'http://a.test/moving', body: '', outcome: moved },
  { url: 'http://b.test/', body: '', outcome: failed },
]

describe('millrace index', () => {
  const newFolder = useTempFolders()
  const json = ({ stdout }: CommandRun) =>
    stdout
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as Record<string, unknown>)
  const briefly = (run: CommandRun) =>
    json(run).map(({ id, content, delete: deleted, reason }) => (deleted === undefined ? `${id} ${content}` : `${deleted} is ${reason}`))

  async function crawlOf(...segments: readonly (readonly SpecPage[])[]): Promise<string> {
    const crawl = newFolder()
    writeFileSync(join(crawl, 'seeds'), 'http://a.test/\n')
    await runCommand(['inject', crawl, join(crawl, 'seeds')])
    for (const [index, pages] of segments.entries()) await addSegment(crawl, pages, index)
    return crawl
  }
  async function addSegment(crawl: string, pages: readonly SpecPage[], day: number): Promise<void> {
    await crawledSegment(crawl, pages, fetchTimeMs + day * dayMs)
    await runCommand(['updatedb', crawl])
    await runCommand(['invertlinks', crawl, '-D', 'linkdb.ignore.internal.links=false'])
  }

  describe('prints', () => {
    let crawl: string
    before(async () => {
      crawl = await crawlOf(first, second)
    })

    it('one document for each page that there is: its newest copy', async () => {
      const run = await runCommand(['index', crawl])
      expect(run.status).to.equal(0)
      // The newest segment comes first, keys in order; what is not modified, or failed, is taken from the older one.
      expect(briefly(run)).to.deep.equal(['http://a.test/ home, new', 'http://a.test/kept kept', 'http://b.test/ b'])
      expect(json(run).map(({ segment }) => segment)).to.deep.equal(['20260305050607', '20260304050607', '20260304050607'])
    })

    it('deletions on demand, and counts every page', async () => {
      const run = await runCommand(['index', crawl, '--delete'])
      expect(briefly(run)).to.deep.equal([
        'http://a.test/ home, new',
        'http://a.test/lost is gone',
        'http://a.test/moving is redirected',
        'http://a.test/kept kept',
        'http://b.test/ b',
      ])
      expect(run.log.at(-1)).to.equal('info indexed {"index/add":3,"index/delete/gone":1,"index/delete/redirected":1}')
    })

    it('nothing but the deletions of all records with --clean', async () => {
      expect(briefly(await runCommand(['index', crawl, '--clean']))).to.deep.equal([
        'http://a.test/lost is gone',
        'http://a.test/moving is redirected',
      ])
    })

    it('a segment that is named, and says when there is none', async () => {
      const run = await runCommand(['index', crawl, '20260304050607'])
      expect(briefly(run)).to.deep.equal(['http://a.test/ home, old', 'http://a.test/kept kept', 'http://b.test/ b'])
      expect((await runCommand(['index', await crawlOf()])).status).to.equal(1)
    })

    it('score and anchors as they are now', async () => {
      const own = await crawlOf(first)
      const find = async () => json(await runCommand(['index', own])).find(({ id }) => id === 'http://b.test/')
      const before = await find()
      // a.test links to it three times with the same text: it stands once for each host and text.
      expect(before?.anchor).to.deep.equal(['to http://b.test/'])
      await addSegment(own, [{ url: 'http://c.test/', body: 'c', links: ['http://b.test/'] }], 1)
      const after = await find()
      expect(after?.anchor).to.deep.equal(['to http://b.test/', 'to http://b.test/'])
      expect(after?.segment).to.equal(before?.segment)
      expect(after?.boost).to.be.above(Number(before?.boost))
    })

    it('CSV with the columns asked for', async () => {
      const run = await runCommand(['index', crawl, '--format', 'csv', '--columns', 'id,title,none'])
      expect(run.stdout).to.equal(
        'id,title,none\r\nhttp://a.test/,Title of http://a.test/,\r\nhttp://a.test/kept,Title of http://a.test/kept,\r\nhttp://b.test/,Title of http://b.test/,\r\n',
      )
    })

    it('fields by a mapping table, headers, and bodies', async () => {
      const file = join(newFolder(), 'mapping.json')
      writeFileSync(file, '{"copy": {"title": ["search"]}, "rename": {"content": "body"}, "remove": ["boost", "digest"]}')
      const run = await runCommand(['index', crawl, '--mapping', file, '--binary-content', '-D', 'index.content.md=content-type,none'])
      const [home] = json(run)
      expect(home).to.include({ body: 'home, new', search: 'Title of http://a.test/', binaryContent: btoa('home, new'), 'content-type': 'text/html' })
      expect(home).not.to.have.any.keys('content', 'boost', 'digest', 'none')
      expect(await failureOf(runCommand(['index', crawl, '--mapping', join(file, 'none')]))).to.have.property('code', 'CONFIG_INVALID')
    })

    it('only URLs that the filters accept, with --filter', async () => {
      const run = await runCommand(['index', crawl, '--filter', '-D', 'urlfilter.regex.rules=-kept\n+.'])
      expect(briefly(run)).to.deep.equal(['http://a.test/ home, new', 'http://b.test/ b'])
      expect(run.log.at(-1)).to.contain('"index/skip/filtered":1')
    })
  })

  describe('sends to a search engine', () => {
    let engine: SearchEngine
    const start = async (options?: EngineOptions) => {
      engine = await startSearchEngine(options)
    }
    afterEach(() => engine.close())
    const send = (crawl: string, ...more: readonly string[]) =>
      runCommand(['index', crawl, '--to', engine.url, '-D', 'index.bulk.backoff=0', ...more])
    const held = () => [...engine.documents].map(([id, { content }]) => `${id} ${content}`).sort()

    it('what it does not have: each segment once, and newer copies of what it has', async () => {
      await start()
      const crawl = await crawlOf(first)
      expect((await send(crawl)).json()).to.deep.equal({ added: 5, deleted: 0, refused: 0, retries: 0 })
      await addSegment(crawl, second, 1)
      expect((await send(crawl, '--delete')).json()).to.deep.equal({ added: 1, deleted: 2, refused: 0, retries: 0 })
      expect(held()).to.deep.equal(['http://a.test/ home, new', 'http://a.test/kept kept', 'http://b.test/ b'])
      expect((await send(crawl, '--delete')).json()).to.deep.include({ added: 0, deleted: 0 })
      expect(engine.requests).to.have.length(2)
    })

    it('all again with --restart, and a segment that is named', async () => {
      await start()
      const crawl = await crawlOf(first)
      await send(crawl)
      expect((await send(crawl, '--restart')).json()).to.include({ added: 5 })
      expect((await send(crawl, '20260304050607')).json()).to.include({ added: 5 })
      expect((await send(crawl)).json()).to.include({ added: 0 })
    })

    it('and comes back for a segment that the CrawlDb had not taken in', async () => {
      await start()
      const crawl = await crawlOf()
      await crawledSegment(crawl, first)
      expect((await send(crawl)).json()).to.include({ added: 1, refused: 0 }) // the seed
      await runCommand(['updatedb', crawl])
      expect((await send(crawl)).json()).to.include({ added: 5 })
    })

    it('and fails, naming the documents, if it refuses some; the others are there', async () => {
      await start({ itemStatus: id => (id === 'http://a.test/kept' ? 400 : undefined) })
      const crawl = await crawlOf(first)
      const failure = await failureOf(send(crawl))
      expect(failure).to.have.property('code', 'IO_FAILED')
      expect(failure)
        .to.have.property('message')
        .that.matches(/refused 1 documents/)
      expect(engine.documents.size).to.equal(4)
    })

    it('and sends again what the engine was too busy for, and not what it has refused for good', async () => {
      let isBusy = true
      const statusOf = (id: string): number | undefined => (id === 'http://a.test/kept' ? 400 : id === 'http://b.test/' && isBusy ? 429 : undefined)
      await start({ itemStatus: statusOf })
      const crawl = await crawlOf(first)
      expect(await failureOf(send(crawl, '-D', 'index.bulk.retries=1')))
        .to.have.property('message')
        .that.matches(/refused 2 documents/)
      isBusy = false
      expect(await failureOf(send(crawl)))
        .to.have.property('message')
        .that.matches(/refused 1 documents/)
      expect([...engine.documents.keys()]).to.include('http://b.test/')
      expect((await send(crawl)).json()).to.deep.equal({ added: 0, deleted: 0, refused: 0, retries: 0 })
    })

    it('and goes on after a failure where it was', async () => {
      await start({ script: [undefined, { status: 503 }, { status: 503 }] })
      const crawl = await crawlOf(first)
      const [documents, retries] = ['index.bulk.documents=2', 'index.bulk.retries=1'].map(pair => ['-D', pair]) as [string[], string[]] // two of two
      expect(await failureOf(send(crawl, ...documents, ...retries))).to.have.property('code', 'IO_FAILED')
      await send(crawl, ...documents)
      expect(engine.requests.map(actions => actions.length)).to.deep.equal([2, 2, 2, 2, 1])
      expect(engine.requests[3]).to.deep.equal(engine.requests[1])
      expect(engine.documents.size).to.equal(5)
      const [state] = readdirSync(join(crawl, 'index'))
      expect(JSON.parse(readFileSync(join(crawl, 'index', state ?? ''), 'utf8'))).to.deep.include({ segments: ['20260304050607'], partly: {} })
    })

    it('and goes on after it was killed where it was', async () => {
      const held: { kill?: () => void } = {}
      await start({ onRequest: count => (count === 3 ? held.kill?.() : undefined) })
      const crawl = await crawlOf(first)
      const running = startCli(['index', crawl, '--to', engine.url, '-D', 'index.bulk.documents=1'])
      held.kill = () => running.kill()
      expect((await running.result).signal).to.equal('SIGKILL')
      expect((await send(crawl)).status).to.equal(0)
      expect(engine.requests[3], 'what had been answered for is not sent again').to.not.include(engine.requests[0]?.[0])
      expect(engine.requests[3]).to.have.length(3)
      expect(engine.documents.size).to.equal(5)
    })
  })
})
