import { expect } from 'chai'
import { compilePattern } from '../../../pipelines/patterns.js'
import { compileChoice } from '../../../pipelines/record-test.js'
import { dbDatum } from '../../support/db-datum.js'
import { putRecords, specJob, specTimeMs } from '../../support/job-fixture.js'
import { runCommand } from '../../support/run-command.js'
import { useTempFolders } from '../../support/temp-folder.js'

const dayMs = 86_400_000
const records = [
  dbDatum({ url: 'http://a.example/1', score: 0.25, fetchTimeMs: specTimeMs, fetchIntervalS: 3600 }),
  dbDatum({
    url: 'http://a.example/2',
    score: 0.5,
    fetchTimeMs: specTimeMs + 2 * dayMs,
    status: 'db_fetched',
    signature: Buffer.from('ab01', 'hex'),
  }),
  dbDatum({ url: 'http://www.b.example/3', score: 1, fetchTimeMs: specTimeMs + dayMs, status: 'db_gone', retries: 10, fetchIntervalS: 86_400 }),
  dbDatum({ url: 'http://b.example/4', score: 2, fetchTimeMs: specTimeMs + dayMs, retries: 2, metadata: { 'nutch.protocol.code': '503' } }),
  dbDatum({
    url: 'http://shop.co.uk/',
    score: 0,
    fetchTimeMs: specTimeMs + dayMs,
    status: 'db_notmodified',
    metadata: { 'nutch.protocol.code': '200' },
  }),
]

describe('questions that scan the CrawlDb', () => {
  const newFolder = useTempFolders()
  let folder: string
  before(async () => {
    folder = newFolder()
    await putRecords(specJob(folder), records)
  })
  const ask = async (...args: string[]): Promise<string> => {
    const { status, stdout } = await runCommand([args[0] ?? '', folder, ...args.slice(1)])
    expect(status).to.equal(0)
    return stdout
  }

  it("readdb --stats prints Nutch's rows in its order, retries as text", async () => {
    expect(await ask('readdb', '--stats', '-D', 'db.stats.score.quantiles=.5')).to.equal(`TOTAL urls:	5
shortest fetch interval:	01:00:00
avg fetch interval:	18 days, 05:00:00
longest fetch interval:	30 days, 00:00:00
earliest fetch time:	Sat Jan 31 00:00:00 UTC 2026
avg of fetch times:	Sun Feb 01 00:00:00 UTC 2026
latest fetch time:	Mon Feb 02 00:00:00 UTC 2026
retry 0:	3
retry 10:	1
retry 2:	1
score quantile 0.5:	0.5
min score:	0.0
avg score:	0.75
max score:	2.0
status 1 (db_unfetched):	2
status 2 (db_fetched):	1
status 3 (db_gone):	1
status 6 (db_notmodified):	1
`)
  })

  it('readdb --stats --json gives the same as one object', async () => {
    const json = JSON.parse(await ask('readdb', '--stats', '--json', '--status', 'unfetched')) as Record<string, unknown>
    expect(json).to.include({ totalUrls: 2, minScore: 0.25, maxScore: 2, avgScore: 1.125 })
    expect(json.status).to.deep.equal({ 1: { count: 2, statusValue: 'db_unfetched' } })
  })

  it('readdb --stats counts what is chosen by host, and by host with --sort', async () => {
    const stdout = await ask('readdb', '--stats', '--sort', '--domain', 'b.example')
    expect(stdout).to.include('TOTAL urls:\t2\n')
    expect(stdout).to.include('status 3 (db_gone):\t1\n   www.b.example :\t1\n')
  })

  for (const { args, urls } of [
    { args: ['--expr', "retries > 1 && status == 'db_unfetched'"], urls: ['http://b.example/4'] },
    { args: ['--expr', 'nutch.protocol.code == 200'], urls: ['http://shop.co.uk/'] },
    { args: ['--signature', 'AB01'], urls: ['http://a.example/2'] },
    { args: ['--retry', '10'], urls: ['http://www.b.example/3'] },
    { args: ['--status', 'db_notmodified'], urls: ['http://shop.co.uk/'] },
    { args: ['--host', 'A.example', '--regex', '/2$'], urls: ['http://a.example/2'] },
    { args: ['--sample', '0'], urls: [] },
  ]) {
    it(`readdb ${args.join(' ')} chooses ${urls.length}`, async () => {
      const lines = (await ask('readdb', '--dump', '--json', ...args)).split('\n').filter(line => line !== '')
      expect(lines.map(line => (JSON.parse(line) as { url: string }).url)).to.deep.equal(urls)
    })
  }

  it('readdb refuses an expression that cannot be used', async () => {
    const error: unknown = await runCommand(['readdb', folder, '--expr', 'score >']).catch(thrown => thrown)
    expect(error).to.include({ code: 'USAGE' })
  })

  for (const { by, text } of [
    { by: 'host', text: '1\tshop.co.uk\n1\ta.example\n' },
    { by: 'domain', text: '1\tshop.co.uk\n1\ta.example\n' },
    { by: 'suffix', text: '1\tco.uk\n' },
    { by: 'tld', text: '1\tuk\n' },
  ]) {
    it(`domainstats by ${by} counts what was fetched, number first`, async () => {
      const rows = (await ask('domainstats', by)).split('\n').sort()
      for (const row of text.split('\n')) expect(rows).to.include(row)
    })
  }

  for (const { args, rows } of [
    { args: ['--top', '9', '--domain', 'b.example'], rows: '2.0\thttp://b.example/4\n1.0\thttp://www.b.example/3\n' },
    { args: ['--top', '1', '--host', 'a.example'], rows: '0.5\thttp://a.example/2\n' },
    { args: ['--top', '9', '--domain', 'b.example', '--status', 'db_gone'], rows: '1.0\thttp://www.b.example/3\n' },
    { args: ['--top', '2', '--expr', 'score < 1'], rows: '0.5\thttp://a.example/2\n0.25\thttp://a.example/1\n' },
  ]) {
    it(`readdb ${args.join(' ')} takes the best of the records that are chosen`, async () => expect(await ask('readdb', ...args)).to.equal(rows))
  }

  for (const args of [
    ['--url', 'http://a.example/1', '--status', 'db_gone'],
    ['--verify', '--host', 'a.example'],
  ]) {
    it(`readdb ${args.join(' ')} is refused: the choice would say nothing`, async () => {
      const error: unknown = await runCommand(['readdb', folder, ...args]).catch((thrown: unknown) => thrown)
      expect(error).to.have.property('code', 'USAGE')
    })
  }

  it('a sample of URLs that are counted up takes about its part, and no run of them', () => {
    const { matches } = compileChoice({ sample: 0.1 }, compilePattern)
    const taken = Array.from({ length: 10_000 }, (_, index) => matches(dbDatum({ url: `http://a.example/page?id=${index}` })))
    const count = taken.filter(Boolean).length
    const pairs = taken.filter((isTaken, index) => isTaken && taken[index + 1] === true).length
    expect(count, 'five deviations around 1000').to.be.within(850, 1150)
    expect(pairs, 'five deviations around 100').to.be.within(50, 150)
  })

  it('domainstats --top gives the largest, with all records as JSON', async () => {
    expect(await ask('domainstats', 'domain', '--top', '1', '--json')).to.equal('a.example\t{"fetched":1,"urls":2}\n')
    expect(await ask('domainstats', 'domain', '--json')).to.include('b.example\t{"fetched":0,"urls":2}\n')
  })

  it('protocolstats counts by HTTP status, and what has none as UNFETCHED', async () => {
    expect(await ask('protocolstats')).to.equal('1\t200\n1\t503\n3\tUNFETCHED\n')
  })

  it('crawlcomplete tells what is fetched and what is not', async () => {
    expect((await ask('crawlcomplete', 'domain')).split('\n').sort()).to.deep.equal(
      ['', '1\ta.example FETCHED', '1\ta.example UNFETCHED', '2\tb.example UNFETCHED', '1\tshop.co.uk FETCHED'].sort(),
    )
    expect(await ask('crawlcomplete', '--json')).to.include('a.example\t{"fetched":1,"unfetched":1,"complete":0.5}\n')
  })
})
