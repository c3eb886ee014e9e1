import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { withLinkDb } from '../../lib/linkdb/open.js'
import type { DbDatum } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'
import { keyOfUrl } from '../../lib/record/url-key.js'
import { listSegments } from '../../lib/segment/segment.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { dbDatum } from '../support/db-datum.js'
import { allRecords, putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { readFetchList } from '../support/segment-files.js'
import { startServer } from '../support/server.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

interface MergeRecord {
  readonly url: string
  readonly fetchTime: number
  readonly fetchInterval: number
  readonly metadata: Readonly<Record<string, string>>
}
type Links = Readonly<Record<string, readonly string[]>>
type OpsCase =
  | {
      readonly id: string
      readonly op: 'mergedb'
      readonly db1: readonly MergeRecord[]
      readonly db2: readonly MergeRecord[]
      readonly expected: readonly MergeRecord[]
    }
  | { readonly id: string; readonly op: 'mergelinkdb'; readonly db1: Links; readonly db2: Links; readonly expected: Links }
  | { readonly id: string; readonly op: 'other' }

const asDatum = ({ url, fetchTime, fetchInterval, metadata }: MergeRecord): DbDatum =>
  dbDatum({ url, status: 'db_fetched', fetchTimeMs: fetchTime, fetchIntervalS: fetchInterval, metadata })

/** Puts links, by target, into the LinkDb of a folder. */
async function putLinks(folder: string, links: Links): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const bySource = new Map<string, { to: string; anchor: string }[]>()
  for (const [target, sources] of Object.entries(links))
    for (const source of sources) {
      const key = keyOfUrl(storedUrl(source))
      bySource.set(key, [...(bySource.get(key) ?? []), { to: keyOfUrl(storedUrl(target)), anchor: `to ${target}` }])
    }
  await withLinkDb({ folder, config: specJob(folder).config.db, isCreating: true }, linkDb =>
    linkDb.commits.run(() => linkDb.commit([...bySource].map(([key, next]) => ({ key, old: undefined, next })))),
  )
}

/** Sources by target, of the LinkDb of a folder. */
async function linksIn(folder: string): Promise<Record<string, string[]>> {
  return withLinkDb({ folder, config: specJob(folder).config.db }, async linkDb => {
    const found: Record<string, string[]> = {}
    for await (const { url, inlinks } of linkDb.byTarget()) found[url] = inlinks.map(({ from }) => from)
    return found
  })
}

describeCorpus('merges of the corpus', () => {
  const newFolder = useTempFolders()
  for (const one of readCorpus<OpsCase>('nutch/crawldb-ops.json')?.cases ?? []) {
    if (one.op === 'mergedb') {
      it(`${one.id}: mergedb, whichever db comes first`, async () => {
        for (const [first, second] of [
          [one.db1, one.db2],
          [one.db2, one.db1],
        ] as const) {
          const [a, b, out] = [newFolder(), newFolder(), join(newFolder(), 'out')]
          await putRecords(specJob(a), first.map(asDatum))
          await putRecords(specJob(b), second.map(asDatum))
          await runCommand(['mergedb', out, a, b])
          expect([...(await allRecords(specJob(out))).values()]).to.have.deep.members(one.expected.map(asDatum))
        }
      })
    } else if (one.op === 'mergelinkdb') {
      it(`${one.id}: mergelinkdb`, async () => {
        const [a, b, out] = [newFolder(), newFolder(), join(newFolder(), 'out')]
        await putLinks(a, one.db1)
        await putLinks(b, one.db2)
        await runCommand(['mergelinkdb', out, a, b])
        const merged = await linksIn(out)
        expect(Object.keys(merged)).to.have.members(Object.keys(one.expected))
        for (const [target, sources] of Object.entries(one.expected)) expect(merged[target]).to.have.members(sources)
      })
    }
  }
})

describe('mergedb', () => {
  const newFolder = useTempFolders()
  it('merges into a db that has records, takes no locks over, and says with --dry-run how many are new', async () => {
    const [into, from] = [newFolder(), newFolder()]
    const lock = { 'nutch.segment.name': '20260130000000', _ngt_: '1', _ngu_: String(specTimeMs + 1000) }
    await putRecords(specJob(into), [dbDatum({ url: 'http://a.example/1', score: 5 })])
    await putRecords(specJob(from), [dbDatum({ url: 'http://a.example/1' }), dbDatum({ url: 'http://a.example/2', metadata: { ...lock, k: 'v' } })])
    expect((await runCommand(['mergedb', into, from, '--dry-run'])).json()).to.deep.equal({ from, records: 2, known: 1, new: 1 })
    await runCommand(['mergedb', into, from])
    const merged = await allRecords(specJob(into))
    expect(merged.get('http://a.example/1')?.score).to.equal(5)
    expect(merged.get('http://a.example/2')?.metadata).to.deep.equal({ k: 'v' })
  })

  it('--dry-run goes by the rules, and makes no db where there is none', async () => {
    const [into, from] = [join(newFolder(), 'new'), newFolder()]
    await putRecords(specJob(from), [dbDatum({ url: 'http://a.example/x.jpg' }), dbDatum({ url: 'http://a.example/p' })])
    for (const { args, records } of [
      { args: [], records: 2 },
      { args: ['--filter'], records: 1 },
    ]) {
      expect((await runCommand(['mergedb', into, from, '--dry-run', ...args])).json()).to.deep.equal({ from, records, known: 0, new: records })
    }
    expect(existsSync(into)).to.equal(false)
    await putLinks(from, { 'http://a.example/x.jpg': ['http://b.example/'], 'http://a.example/p': ['http://b.example/'] })
    for (const { args, links } of [
      { args: [], links: 2 },
      { args: ['--filter'], links: 1 },
    ]) {
      expect((await runCommand(['mergelinkdb', into, from, '--dry-run', ...args])).json()).to.deep.equal({ from, pages: 1, links })
    }
    expect(existsSync(into)).to.equal(false)
  })

  it('filters and normalizes on demand, and refuses to merge a db into itself', async () => {
    const [into, from] = [join(newFolder(), 'new'), newFolder()]
    await putRecords(specJob(from), [
      dbDatum({ url: 'http://a.example/x.jpg' }),
      dbDatum({ url: 'http://a.example/p?PHPSESSID=0123456789abcdef0123456789abcdef' }),
    ])
    await runCommand(['mergedb', into, from, '--filter', '--normalize'])
    expect([...(await allRecords(specJob(into))).keys()]).to.deep.equal(['http://a.example/p'])
    const error: unknown = await runCommand(['mergedb', into, `${into}/`]).catch(thrown => thrown)
    expect(error).to.include({ code: 'USAGE' })
  })
})

describe('a db that is named twice among those to be merged', () => {
  const newFolder = useTempFolders()
  for (const command of ['mergedb', 'mergelinkdb'])
    it(`is merged once by ${command}, and known for the target in any spelling`, async () => {
      const [into, from] = [newFolder(), newFolder()]
      await putRecords(specJob(from), [dbDatum({ url: 'http://a.example/' })])
      await putLinks(from, { 'http://b.example/': ['http://a.example/'] })
      expect((await runCommand([command, into, from, `${from}/.`])).json()).to.include({ updates: 1, added: 1 })
      const error = await failureOf(runCommand([command, into, `${into}/./`]))
      expect(error).to.include({ code: 'USAGE', message: `${into}/./ cannot be merged into itself` })
    })
})

describe('readlinkdb', () => {
  const newFolder = useTempFolders()
  let folder: string
  before(async () => {
    folder = newFolder()
    await putLinks(folder, { 'http://b.example/': ['http://a.example/1', 'http://c.example/'], 'http://b.example/x': ['http://a.example/1'] })
  })

  it('prints the links to a page as Nutch does, and says where there are none', async () => {
    expect((await runCommand(['readlinkdb', folder, '--url', 'http://b.example/'])).stdout).to.equal(
      'fromUrl: http://a.example/1 anchor: to http://b.example/\nfromUrl: http://c.example/ anchor: to http://b.example/\n',
    )
    expect(await runCommand(['readlinkdb', folder, '--url', 'http://c.example/'])).to.include({ stdout: ' - no link information.\n', status: 1 })
  })

  it('dumps all pages as Nutch does', async () => {
    expect((await runCommand(['readlinkdb', folder, '--dump'])).stdout).to.equal(
      'http://b.example/\tInlinks:\n fromUrl: http://a.example/1 anchor: to http://b.example/\n fromUrl: http://c.example/ anchor: to http://b.example/\n\n' +
        'http://b.example/x\tInlinks:\n fromUrl: http://a.example/1 anchor: to http://b.example/x\n\n',
    )
    expect((await runCommand(['readlinkdb', folder, '--dump', '--regex', 'x$'])).stdout).to.match(/^http:\/\/b\.example\/x\tInlinks:/)
  })

  it('gives lines of JSON, outlinks too, and no more than the limit', async () => {
    expect((await runCommand(['readlinkdb', folder, '--url', 'http://a.example/1', '--outlinks', '--json'])).stdout).to.equal(
      'http://a.example/1\t{"to":"http://b.example/","anchor":"to http://b.example/"}\nhttp://a.example/1\t{"to":"http://b.example/x","anchor":"to http://b.example/x"}\n',
    )
    expect((await runCommand(['readlinkdb', folder, '--dump', '--json', '-D', 'linkdb.max.inlinks=1'])).stdout).to.equal(
      'http://b.example/\t{"from":"http://a.example/1","anchor":"to http://b.example/"}\nhttp://b.example/x\t{"from":"http://a.example/1","anchor":"to http://b.example/x"}\n',
    )
  })
})

describe('freegen', () => {
  const newFolder = useTempFolders()
  const urls = Array.from({ length: 12 }, (_, index) => `http://h${index % 4}.example/${index}`)

  it('makes a list of each URL once, straight from a file, and takes scores and metadata', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'list.txt'), `${urls.join('\n')}\n# nothing\nhttp://h0.example/0\tnutch.score=2\tcolour=red\nno url\n`)
    const { stdout, log } = await runCommand(['freegen', folder, join(folder, 'list.txt')])
    const [segment] = await listSegments(join(folder, 'segments'))
    expect(stdout).to.equal(`${segment?.name}\n`)
    expect(readFetchList(segment?.folder ?? '')).to.have.members(urls)
    for await (const [first] of segment?.readFetchList() ?? []) {
      expect(first?.datum).to.include({ url: 'http://h0.example/0', status: 'db_unfetched', score: 2, fetchTimeMs: specTimeMs })
      expect(first?.datum.metadata).to.deep.equal({ colour: 'red' })
    }
    expect(log.join('\n')).to.include('"line":15')
  })

  it('splits into lists with no host in two', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'list.txt'), urls.join('\n'))
    await runCommand(['freegen', folder, join(folder, 'list.txt'), '--lists', '3'])
    const lists = (await listSegments(join(folder, 'segments'))).map(({ folder: path }) => readFetchList(path))
    expect(lists.flat()).to.have.members(urls)
    const hosts = lists.map(list => new Set(list.map(url => new URL(url).host)))
    expect(hosts.reduce((sum, { size }) => sum + size, 0)).to.equal(4)
  })

  it('may be the first command of a crawl: updatedb begins the CrawlDb, and not without a segment to merge', async () => {
    const server = await startServer({ routes: { '/*': { body: '<a href="/linked">l</a>' } } })
    try {
      const folder = join(newFolder(), 'crawl')
      await runCommand(['freegen', folder, '-'], { stdin: `${server.origin()}/\n` })
      expect(await failureOf(runCommand(['updatedb', folder]))).to.have.property('code', 'DB_MISSING')
      await runCommand(['fetch', folder, '--allow-address', 'loopback'])
      await runCommand(['parse', folder])
      expect((await runCommand(['updatedb', folder])).json()).to.include({ added: 2 })
      expect((await runCommand(['updatedb', folder])).status).to.equal(1)
    } finally {
      await server.close()
    }
  })

  it('only prints the URLs with --dry-run, filtered on demand', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'list.txt'), 'http://a.example/\nhttp://a.example/x.jpg\n')
    expect((await runCommand(['freegen', folder, join(folder, 'list.txt'), '--filter', '--dry-run'])).stdout).to.equal('http://a.example/\n')
    expect(await listSegments(join(folder, 'segments'))).to.deep.equal([])
  })
})
