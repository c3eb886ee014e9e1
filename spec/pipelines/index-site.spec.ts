import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type DemoSiteTable, readDemoSiteTable } from '../../pipelines/demo-pages.js'
import { type DemoSite, startDemoSite } from '../../pipelines/demo-site.js'
import { projectRoot } from '../support/paths.js'
import { runCommand } from '../support/run-command.js'
import { startSearchEngine } from '../support/search-engine.js'
import { useTempFolders } from '../support/temp-folder.js'
import { type WitnessedRecord, witnessRecords } from '../warc/warc-witness.js'

interface Expected {
  readonly urls: readonly { readonly url: string; readonly status?: string }[]
}
type Document = Readonly<Record<string, unknown>>

const { urls: expected } = JSON.parse(readFileSync(join(projectRoot, 'fixtures/site/expected.json'), 'utf8')) as Expected
const table: DemoSiteTable = readDemoSiteTable()

/** Worked out by hand: pages that were fetched but give no document, and why. */
const withoutDocument: Readonly<Record<string, string>> = {
  '{mill}/noindex.html': 'asks not to be indexed',
  '{mill}/style.css': 'a type that holds no text for readers',
  '{mill}/app.js': 'a type that holds no text for readers',
  '{mill}/logo.png': 'a type that is no text',
  '{mill}/report.pdf': 'a type that is no text',
  '{mill}/huge.html': 'was cut off',
  '{mill}/endless.html': 'was cut off',
  '{mill}/copy-2.html': 'the same as copy-1.html, whose URL is lower',
}
/** Titles of pages that the table gives as they are; others stand there by name. Without one: nothing. */
const otherTitles: Readonly<Record<string, string>> = {
  '{mill}/latin1.html': 'Mühlrad',
  '{mill}/cyrillic.html': 'Мельница',
  '{mill}/feed.xml': 'News of the mill',
  '{mill}/frames.html': 'Frames',
}
/** Answers that never came, so that no WARC holds them: forbidden by robots.txt, or no connection. */
const unanswered = ['{attic}/', '{attic}/box.html', '{mill}/private/moved.html', '{mill}/private/ledger.html', '{mill}/notes.bak']

describe('a crawl of the demo site goes through every output', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let site: DemoSite
  let crawl: string
  let documents: readonly Document[]
  const run = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, log } = await runCommand(args)
    expect(status, log.join('\n')).to.equal(0)
    return stdout
  }
  const jsonLines = (text: string): Document[] =>
    text
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as Document)
  const words = (text: unknown): string => String(text).trim().split(/\s+/).join(' ')
  const withStatus = (...statuses: readonly string[]): string[] =>
    expected.filter(({ status = '' }) => statuses.includes(status)).map(({ url }) => url)
  const filled = (urls: readonly string[]): string[] => urls.map(url => site.fill(url)).sort()

  before(async () => {
    site = await startDemoSite()
    crawl = newFolder()
    const options = ['fetcher.server.delay=0.01', 'http.timeout=1000', 'http.redirect.max=0', 'urlfilter.regex.rules=+.', 'millrace.workers=0']
    await run('crawl', crawl, ...site.seeds, '--rounds', '15', '--allow-address', 'loopback', ...options.flatMap(pair => ['-D', pair]))
    await run('dedup', crawl)
    documents = jsonLines(await run('index', crawl))
  })
  after(() => site.close())

  const indexedUrls = (): string[] => withStatus('db_fetched').filter(url => withoutDocument[url] === undefined)

  it('documents: one for each page that was fetched and may be shown, with its title', () => {
    const titles = new Map(table.pages.map(({ url, title }) => [url, title]))
    const wanted = indexedUrls().map(url => [site.fill(url), otherTitles[url] ?? titles.get(url)] as const)
    expect(new Map(documents.map(({ id, title }) => [id, title]))).to.deep.equal(new Map(wanted))
  })

  it('documents: every field of a page, by hand', async () => {
    const url = site.fill('{mill}/about.html')
    const body = Buffer.from(await (await fetch(url)).arrayBuffer())
    const [record] = jsonLines((await run('readdb', crawl, '--url', url, '--json')).replace(/^\S+\t/, ''))
    const about = documents.find(({ id }) => id === url)
    const { segment, content, boost, ...fields } = about ?? {}
    expect(fields).to.deep.equal({
      id: url,
      url,
      host: '127.0.0.2',
      title: 'About the mill',
      tstamp: '2026-01-31T00:00:00.000Z',
      type: ['text/html', 'text', 'html'],
      contentLength: body.length,
      lang: 'en',
      date: '2026-01-31T00:00:00.000Z',
      digest: createHash('md5').update(body).digest('hex'),
    })
    const links = site.fill('/ /./about.html /history/../about.html#team HTTP://127.0.0.2:{port}/about.html /%61bout.html')
    expect(words(content)).to.equal(`About the mill About the mill Links to pages that are known already, in other words. ${links}`)
    expect(readdirSync(join(crawl, 'segments'))).to.include(segment)
    // Nutch's scoring-opic: the score to the power of 0.5.
    expect(boost).to.be.closeTo(Math.sqrt(Number(record?.score)), 1e-6)
  })

  it('documents: anchors of other hosts, once for each host and text', () => {
    const home = documents.find(({ id }) => id === site.fill('{mill}/'))
    expect(home?.anchor).to.deep.equal([site.fill('{mill}/')])
  })

  it('deletions: of what is gone, redirects and duplicates', async () => {
    const deletions = jsonLines(await run('index', crawl, '--delete')).filter(line => 'delete' in line)
    const of = (reason: string): unknown[] =>
      deletions
        .filter(line => line.reason === reason)
        .map(line => line.delete)
        .sort()
    expect(of('gone')).to.deep.equal(filled(withStatus('db_gone')))
    expect(of('redirected')).to.deep.equal(filled(withStatus('db_redir_temp', 'db_redir_perm')))
    expect(of('duplicate')).to.deep.equal(filled(['{mill}/copy-2.html']))
    expect(deletions).to.have.length(of('gone').length + of('redirected').length + 1)
    const cleaned = jsonLines(await run('index', crawl, '--clean'))
    expect(cleaned.map(line => line.delete).sort()).to.deep.equal(deletions.map(line => line.delete).sort())
  })

  it('CSV: the same documents', async () => {
    const text = await run('index', crawl, '--format', 'csv', '--columns', 'id,title,content')
    expect(text.startsWith('id,title,content\r\n')).to.equal(true)
    const rows = [...text.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/g)].map(([, cell = '']) =>
      cell.replace(/^"([\s\S]*)"$/, '$1').replaceAll('""', '"'),
    )
    const wanted = documents.flatMap(({ id, title = '', content }) => [id, title, content])
    expect(rows.slice(3)).to.deep.equal(wanted)
  })

  it('a search engine: the same documents', async () => {
    const engine = await startSearchEngine()
    try {
      const report = jsonLines(await run('index', crawl, '--to', engine.url, '-D', 'index.bulk.documents=7'))[0]
      expect(report).to.deep.equal({ added: documents.length, deleted: 0, refused: 0, retries: 0 })
      expect([...engine.documents.values()]).to.have.deep.members(documents as Document[])
    } finally {
      await engine.close()
    }
  })

  describe('WARC', () => {
    let file: string
    let records: WitnessedRecord[]
    before(async () => {
      file = String(jsonLines(await run('warc', crawl, '--out', join(newFolder(), 'export'), '--host', 'host'))[0]?.file)
      records = await witnessRecords(readFileSync(file))
    })

    it('holds an answer for each page that answered, and is sound', async () => {
      const statuses = withStatus('db_fetched', 'db_gone', 'db_redir_temp', 'db_redir_perm').filter(url => !unanswered.includes(url))
      const uris = new Set(records.filter(({ type }) => type === 'response').map(({ uri }) => uri))
      expect(filled(statuses).filter(url => !uris.has(url))).to.deep.equal([])
      expect(filled(unanswered).filter(url => uris.has(url))).to.deep.equal([])
      await run('warc', '--check', file)
    })

    it('of one type and status holds those alone', async () => {
      const folder = join(newFolder(), 'export')
      const args = ['--type', 'text/plain', '--status', '200', '--url', 'readme']
      const chosen = String(jsonLines(await run('warc', crawl, '--out', folder, ...args))[0]?.file)
      const responses = (await witnessRecords(readFileSync(chosen))).filter(({ type }) => type === 'response')
      expect(responses.map(({ uri, payload }) => [uri, payload.toString()])).to.deep.equal([
        [site.fill('{mill}/readme.txt'), site.fill('The mill is open on Sundays.\nSee {mill}/from-text.html for more.\n')],
      ])
    })

    it('comes back: an import of it gives the same documents', async () => {
      const again = newFolder()
      await run('import', again, '--warc', file, '--no-filter')
      await run('parse', again, '--workers', '0', '-D', 'urlfilter.regex.rules=+.')
      await run('updatedb', again)
      const shown = (list: readonly Document[]) =>
        Object.fromEntries(list.map(({ id, title, content, type, digest, lang }) => [id, { title, content, type, digest, lang }]))
      const back = shown(jsonLines(await run('index', again)))
      for (const [id, document] of Object.entries(shown(documents))) expect(back[id], id).to.deep.equal(document)
      const others = Object.keys(back).filter(id => !documents.some(document => document.id === id))
      expect(others, 'dedup did not run').to.deep.equal([site.fill('{mill}/copy-2.html')])
    })

    it('of texts (WET) holds the text of each page that has one', async () => {
      const wet = String(jsonLines(await run('warc', crawl, '--out', join(newFolder(), 'wet'), '--text'))[0]?.file)
      const texts = (await witnessRecords(readFileSync(wet))).filter(({ type }) => type === 'conversion')
      const byUri = new Map(texts.map(({ uri, payload }) => [uri, payload.toString()]))
      for (const { id, content } of documents) expect(byUri.get(String(id)), String(id)).to.equal(content)
      expect(byUri.get(site.fill('{mill}/noindex.html')) ?? '').to.equal('')
    })
  })

  describe('the CrawlDb', () => {
    const inDb = (): string[] => filled(expected.filter(({ status }) => status !== undefined).map(({ url }) => url))

    it('in each form of readdb', async () => {
      const dump = (format: string): Promise<string> => run('readdb', crawl, '--dump', '--format', format)
      const text = await dump('text')
      expect([...text.matchAll(/^(\S+)\tVersion: 7$/gm)].map(([, url]) => url).sort()).to.deep.equal(inDb())
      const lines = (await dump('lines')).trimEnd().split('\n')
      expect(lines.map(line => line.split('\t')[0]).sort()).to.deep.equal(inDb())
      const json = jsonLines(await dump('json'))
      expect(json.map(({ url }) => url).sort()).to.deep.equal(inDb())
      const [header, ...rows] = (await dump('csv')).trimEnd().split('\n')
      expect(header).to.match(/^Url,Status code,Status name,Fetch Time,/)
      expect(rows.map(row => row.slice(1, row.indexOf('"', 1))).sort()).to.deep.equal(inDb())
      const status = json.find(({ url }) => url === site.fill('{mill}/copy-2.html'))
      expect(status).to.include({ statusCode: 7, statusName: 'db_duplicate' })
    })

    for (const format of ['text', 'csv', 'json', 'lines'])
      it(`comes back from readdb --dump --format ${format}: the same dump`, async () => {
        const [again, file] = [newFolder(), join(newFolder(), 'dump')]
        const dump = await run('readdb', crawl, '--dump', '--format', format)
        writeFileSync(file, dump)
        await run('import', again, '--from-dump', file, '--format', format)
        expect(await run('readdb', again, '--dump', '--format', format)).to.equal(dump)
      })
  })

  it('segments: readseg --dump has every page that was asked for, in both forms', async () => {
    const text = await run('readseg', crawl, '--dump', '--no-content')
    const dumped = new Set([...text.matchAll(/^URL:: (.*)$/gm)].map(([, url]) => url))
    for (const url of filled(withStatus('db_fetched', 'db_gone', 'db_redir_temp', 'db_redir_perm'))) expect(dumped.has(url), url).to.equal(true)
    expect(text).to.contain('Title: About the mill')
    const json = await run('readseg', crawl, '--dump', '--json', '--no-content')
    expect(
      new Set(
        json
          .trimEnd()
          .split('\n')
          .map(line => line.split('\t')[0]),
      ),
    ).to.deep.equal(dumped)
  })
})
