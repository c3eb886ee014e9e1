import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import { metadataKeys } from '../../lib/record/metadata.js'
import { type DemoSite, startDemoSite } from '../../pipelines/demo-site.js'
import { runCommand } from '../support/run-command.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

const options = ['fetcher.server.delay=0.01', 'http.timeout=1000', 'urlfilter.regex.rules=+.'].flatMap(pair => ['-D', pair])

/** As `LC_ALL=C sort -t'<TAB>' -k1,1` does: by key, lines of one key by all of their bytes. */
function sorted(text: string): string {
  const lines = text.split('\n').filter(line => line !== '')
  const keyed = lines.map(line => ({ line, key: Buffer.from(line.slice(0, line.indexOf('\t'))), bytes: Buffer.from(line) }))
  keyed.sort((a, b) => Buffer.compare(a.key, b.key) || Buffer.compare(a.bytes, b.bytes))
  return keyed.map(({ line }) => `${line}\n`).join('')
}
const linesOf = (text: string): string[] => sorted(text).trimEnd().split('\n')

/** The jobs over lines, beside the same jobs in the CrawlDb: what they make must be equal, record by record. */
describe('reducers over lines', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let site: DemoSite
  let folder: string
  const run = async (args: readonly string[], stdin = ''): Promise<string> => (await runCommand([...args, ...options], { stdin })).stdout
  const reduce = (args: readonly string[], ...texts: readonly string[]): Promise<string> => run(['reduce', ...args], sorted(texts.join('')))
  const records = (of = folder): Promise<string> => run(['readdb', of, '--dump', '--format', 'lines'])

  before(async () => {
    site = await startDemoSite()
    folder = newFolder()
    writeFileSync(join(folder, 'seeds'), site.seeds.map(seed => `${seed}\tlist=one\n`).join(''))
    await run(['inject', folder, join(folder, 'seeds')])
  })
  after(() => site.close())

  const parsed: string[] = []
  for (const round of [1, 2, 3])
    it(`updatedb: round ${round} of a crawl of the demo site`, async () => {
      const segment = join(folder, 'segments', (await run(['generate', folder])).trim())
      const old = await records()
      await run(['fetch', folder, '--allow-address', 'loopback'])
      await run(['parse', folder, '--workers', '0'])
      const lines = await run(['stage', 'parse', '--warc', segment], readFileSync(join(segment, 'crawl_fetch.ndjson'), 'utf8'))
      parsed.push(lines)
      await run(['updatedb', folder])
      const reduced = await reduce(['updatedb'], old, lines)
      expect(linesOf(reduced)).to.deep.equal(linesOf(await records()))
      expect(linesOf(reduced)).to.have.length.above(linesOf(old).length)
    })

  it('updatedb: crawl_parse of a segment stands for the parses', async () => {
    const page = 'http://a.test/\t{"status":"signature","signature":"00ff","metadata":{},"outlinks":0,"dataEndBytes":1,"textEndBytes":1}\n'
    const link = 'http://a.test/\t{"status":"linked","from":"http://b.test/","score":0.5}\n'
    const [record = ''] = linesOf(await reduce(['updatedb'], page, link))
    expect(record).to.match(/^http:\/\/a\.test\/\t\{"status":"db_unfetched",.*"score":0.5,/)
  })

  it('updatedb: adds nothing with --no-additions', async () => {
    const link = 'http://a.test/\t{"status":"linked","from":"http://b.test/","score":0.5}\n'
    expect(await reduce(['updatedb', '--no-additions'], link)).to.equal('')
  })

  it('dedup: the duplicates of that crawl', async () => {
    const before = await records()
    const keyed = await run(['stage', 'dedup'], before)
    const reduced = await reduce(['dedup'], keyed)
    await run(['dedup', folder])
    const isSigned = (line: string): boolean => line.includes('"signature":')
    const expected = linesOf(await records()).filter(isSigned)
    expect(linesOf(reduced)).to.deep.equal(expected)
    expect(expected.filter(line => line.includes('"db_duplicate"'))).to.not.be.empty
    expect(linesOf(before).filter(line => line.includes('"db_duplicate"'))).to.be.empty
  })

  for (const { flags, duplicates } of [
    { flags: [], duplicates: ['http://a.test/long', 'http://b.a.test/', 'http://c.test/'] },
    { flags: ['--group', 'host'], duplicates: ['http://a.test/long'] },
    { flags: ['--group', 'domain'], duplicates: ['http://a.test/long', 'http://b.a.test/'] },
    { flags: ['--canonical'], duplicates: ['http://a.test/', 'http://a.test/long', 'http://b.a.test/'] },
    { flags: ['--compare-order', 'fetchTime,score,urlLength'], duplicates: ['http://a.test/', 'http://b.a.test/', 'http://c.test/'] },
  ])
    it(`dedup ${flags.join(' ')}: the same duplicates as in the CrawlDb`, async () => {
      const own = newFolder()
      const record = (url: string, score: number, fetchTimeMs: number, metadata = {}): string =>
        `${url}\t${JSON.stringify({ status: 'db_fetched', fetchTimeMs, modifiedTimeMs: 0, retries: 0, fetchIntervalS: 60, score, signature: '00ff', metadata })}\n`
      const named = { [metadataKeys.canonical]: 'http://c.test/' }
      const lines = [
        record('http://a.test/', 4, 1, named),
        record('http://a.test/long', 3, 9),
        record('http://b.a.test/', 2, 2),
        record('http://c.test/', 1, 3),
      ]
      writeFileSync(join(own, 'dump'), lines.join(''))
      await run(['import', join(own, 'crawl'), '--from-dump', join(own, 'dump'), '--format', 'lines'])
      const reduced = await reduce(['dedup', ...flags], await run(['stage', 'dedup'], lines.join('')))
      await run(['dedup', join(own, 'crawl'), ...flags])
      expect(linesOf(reduced)).to.deep.equal(linesOf(await records(join(own, 'crawl'))))
      const marked = linesOf(reduced).filter(line => line.includes('"db_duplicate"'))
      expect(marked.map(line => line.split('\t')[0])).to.deep.equal(duplicates)
    })

  for (const more of [
    [],
    ['-D', 'linkdb.ignore.internal.links=false'],
    ['-D', 'linkdb.max.anchor.length=3', '-D', 'linkdb.ignore.internal.links=false'],
  ])
    it(`invertlinks: the links of that crawl ${more.join(' ')}`, async () => {
      const own = newFolder()
      const names = (await run(['readseg', folder, '--list', '--json']))
        .trimEnd()
        .split('\n')
        .map(line => (JSON.parse(line) as { name: string }).name)
      const segments = names.map(name => join(folder, 'segments', name))
      await run(['invertlinks', own, ...segments, ...more])
      const links = await run(['stage', 'invertlinks', ...more], parsed.join(''))
      const inlinks = (await reduce(['invertlinks', ...more], links)).trimEnd().split('\n')
      const flat = inlinks.flatMap(line => {
        const [url = '', json = ''] = line.split('\t')
        return (JSON.parse(json) as { inlinks: object[] }).inlinks.map(inlink => `${url}\t${JSON.stringify(inlink)}`)
      })
      const dumped = linesOf(await run(['readlinkdb', own, '--dump', '--json']))
      expect(linesOf(flat.join('\n'))).to.deep.equal(dumped)
      expect(dumped.length).to.be.above(5)
    })

  it('invertlinks: keeps so many inlinks of a page, in the order of their keys', async () => {
    const link = (from: string): string => `http://a.test/\t{"status":"linked","from":"${from}","anchor":"x","score":0}\n`
    const text = await reduce(['invertlinks', '-D', 'linkdb.max.inlinks=2'], link('http://c.test/'), link('http://b.test/'), link('http://a.zone/'))
    expect(text).to.equal('http://a.test/\t{"inlinks":[{"from":"http://b.test/","anchor":"x"},{"from":"http://c.test/","anchor":"x"}]}\n')
  })

  for (const flags of [[], ['--update'], ['--overwrite']])
    it(`inject ${flags.join('')}: seeds that meet records, and new ones`, async () => {
      const own = newFolder()
      const first = 'http://a.test/\tnutch.score=2\tlist=one\nhttp://b.test/\n'
      const second = 'http://a.test/\tnutch.score=3\tlist=two\nHTTP://B.test\tnutch.fetchInterval=60\nhttp://c.test/\nno url\n'
      const fresh = await reduce(['inject'], await run(['normalize', '--scope', 'inject', '-'], first))
      await run(['inject', own, '-'], first)
      expect(linesOf(fresh)).to.deep.equal(linesOf(await records(own)))
      const merged = await reduce(['inject', ...flags], fresh, await run(['normalize', '--scope', 'inject', '-'], second))
      await run(['inject', own, '-', ...flags], second)
      expect(linesOf(merged)).to.deep.equal(linesOf(await records(own)))
      expect(linesOf(merged)).to.have.length(3)
    })

  for (const { what, text, message } of [
    {
      what: 'lines out of order',
      text: 'http://b.test/\t{}\nhttp://a.test/\t{}\n',
      message: 'line 2: the input is not sorted by key: http://a.test/ after http://b.test/',
    },
    {
      what: 'the order of a locale',
      text: 'http://a.test/b\t{"status":"linked"}\nhttp://a.test/B\t{}\n',
      message: 'line 2: the input is not sorted by key',
    },
    { what: 'a line without a record', text: 'http://a.test/\n', message: 'line 1: no key before a tab' },
    { what: 'a line that is no JSON', text: 'http://a.test/\t{\n', message: 'line 1: what stands after the tab is no JSON' },
  ])
    it(`refuse ${what}, with the line's number`, async () => {
      const failure = await failureOf(run(['reduce', 'invertlinks'], text))
      expect(failure).to.satisfy((error: unknown) => isCrawlError(error, 'LINE_INVALID'))
      expect(failure).to.have.property('message').that.contains(message)
    })

  it('refuse a record that is none of theirs, naming its key', async () => {
    const failure = await failureOf(run(['reduce', 'updatedb'], 'http://a.test/\t{"any":1}\n'))
    expect(failure).to.have.property('message', 'http://a.test/: neither a record, an outcome, a parse nor a link')
  })

  it('give nothing for nothing', async () => {
    for (const job of ['inject', 'updatedb', 'dedup', 'invertlinks']) expect(await run(['reduce', job])).to.equal('')
  })
})
