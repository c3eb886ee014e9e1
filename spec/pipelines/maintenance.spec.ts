import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import type { DbDatum } from '../../lib/record/records.js'
import { createUrlRules } from '../../pipelines/crawl-url-rules.js'
import { withJobDb } from '../../pipelines/job.js'
import { refilter } from '../../pipelines/refilter.js'
import { dbDatum } from '../support/db-datum.js'
import { allRecords, putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { killedAtCommit } from '../support/kill-at-commit.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

const dayMs = 86_400_000
const hourMs = 3_600_000

const records: readonly DbDatum[] = [
  dbDatum({ url: 'http://a.example/new', fetchTimeMs: specTimeMs - dayMs }),
  dbDatum({ url: 'http://a.example/news/1', status: 'db_fetched', fetchTimeMs: specTimeMs + 29 * dayMs, score: 2 }),
  dbDatum({ url: 'http://www.a.example/gone', status: 'db_gone', fetchTimeMs: specTimeMs + 45 * dayMs, fetchIntervalS: 3_888_000, retries: 3 }),
  dbDatum({ url: 'http://b.example/gone', status: 'db_gone', fetchTimeMs: specTimeMs + 45 * dayMs, fetchIntervalS: 3_888_000 }),
  dbDatum({ url: 'http://b.example/broken', status: 'db_parse_failed', fetchTimeMs: specTimeMs + 45 * dayMs }),
]

describe('reschedule and delete', () => {
  const newFolder = useTempFolders()
  async function change(...args: string[]): Promise<{ readonly records: Map<string, DbDatum>; readonly stdout: string; readonly status: number }> {
    const folder = newFolder()
    await putRecords(specJob(folder), records)
    const { stdout, status } = await runCommand([args[0] ?? '', folder, ...args.slice(1)])
    return { records: await allRecords(specJob(folder)), stdout, status }
  }

  for (const { args, url, expected } of [
    {
      args: ['--url', 'http://a.example/news/1', '--due', 'now'],
      url: 'http://a.example/news/1',
      expected: { fetchTimeMs: specTimeMs, fetchIntervalS: 2_592_000 },
    },
    {
      args: ['--host', 'a.example', '--due', '2026-05-01', '--interval', '90d'],
      url: 'http://a.example/new',
      expected: { fetchTimeMs: specTimeMs + 90 * dayMs, fetchIntervalS: 7_776_000 },
    },
    { args: ['--host', 'a.example', '--due', '2026-02-01'], url: 'http://a.example/new', expected: { fetchTimeMs: specTimeMs + dayMs } },
    // Fetched a day before the job, so half an hour later is long past: due since then.
    {
      args: ['--regex', '/news/', '--interval', '30m'],
      url: 'http://a.example/news/1',
      expected: { fetchIntervalS: 1800, fetchTimeMs: specTimeMs - dayMs + hourMs / 2 },
    },
    {
      args: ['--expr', "url =~ '.*/news/.*'", '--interval', '1h', '--fixed'],
      url: 'http://a.example/news/1',
      expected: { fetchIntervalS: 3600, metadata: { fixedInterval: '3600' } },
    },
    // Never fetched: only its interval changes.
    {
      args: ['--url', 'http://a.example/new', '--interval', '60'],
      url: 'http://a.example/new',
      expected: { fetchIntervalS: 60, fetchTimeMs: specTimeMs - dayMs },
    },
    {
      args: ['--domain', 'a.example', '--retry-gone'],
      url: 'http://www.a.example/gone',
      expected: { status: 'db_unfetched', retries: 0, fetchTimeMs: specTimeMs },
    },
    { args: ['--retry-gone'], url: 'http://b.example/broken', expected: { status: 'db_unfetched', fetchTimeMs: specTimeMs } },
    { args: ['--retry-gone'], url: 'http://a.example/news/1', expected: { status: 'db_fetched', fetchTimeMs: specTimeMs + 29 * dayMs } },
    { args: ['--status', 'gone', '--due', '0'], url: 'http://b.example/broken', expected: { fetchTimeMs: specTimeMs + 45 * dayMs } },
  ]) {
    it(`reschedule ${args.join(' ')}: ${url}`, async () => {
      const { records: after } = await change('reschedule', ...args)
      const datum = after.get(url)
      for (const [field, value] of Object.entries(expected)) expect(datum?.[field as keyof DbDatum], field).to.deep.equal(value)
      expect(after.size).to.equal(records.length)
    })
  }

  it('makes what is rescheduled selectable at once', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), records)
    await runCommand(['reschedule', folder, '--host', 'b.example', '--due', 'now'])
    const { stdout } = await runCommand(['generate', folder, '--no-filter', '--plan'])
    expect(stdout).to.include('b.example\t{"items":2,')
    expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
  })

  it('prints what would change with --dry-run, and changes nothing', async () => {
    const { records: after, stdout } = await change('reschedule', '--retry-gone', '--dry-run')
    expect(stdout.split('\n').filter(line => line !== '')).to.have.lengthOf(3)
    expect(stdout).to.match(/^http:\/\/.*\/gone\t\{"before":\{"status":"db_gone",.*"after":\{"status":"db_unfetched",/m)
    expect([...after.values()]).to.have.deep.members(records)
  })

  for (const { args, why } of [
    { args: ['reschedule', '--due', 'now'], why: 'no records are chosen' },
    { args: ['reschedule', '--all'], why: 'nothing is wanted of them' },
    { args: ['reschedule', '--all', '--fixed', '--due', 'now'], why: '--fixed without an interval' },
    { args: ['reschedule', '--all', '--interval', '0'], why: 'an interval of nothing' },
    // 2026-01-31 and 90 days, db.fetch.interval.max, are 2026-05-01.
    { args: ['reschedule', '--all', '--due', '2026-05-01T00:00:01Z'], why: 'a time that counts as due at once' },
    { args: ['reschedule', '--all', '--interval', '91d', '--fixed'], why: 'an interval that the next fetch would cut' },
    { args: ['reschedule', '--url', 'http://a.example/', '--host', 'a.example', '--due', 'now'], why: 'a URL and a choice' },
    { args: ['delete'], why: 'no records are chosen' },
  ]) {
    it(`refuses ${args.join(' ')}: ${why}`, async () => {
      const error: unknown = await change(...args).catch(thrown => thrown)
      expect(error).to.include({ code: 'USAGE' })
    })
  }

  it('delete removes what is chosen, with its index entries', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), records)
    expect((await runCommand(['delete', folder, '--status', 'db_gone'])).json()).to.deep.equal({ chosen: 2, changed: 0, removed: 2 })
    expect([...(await allRecords(specJob(folder))).keys()].filter(url => url.endsWith('gone'))).to.deep.equal([])
    expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
    expect((await runCommand(['delete', folder, '--url', 'http://b.example/none'])).status).to.equal(1)
  })

  it('delete --dry-run prints records with nothing after', async () => {
    const { stdout, records: after } = await change('delete', '--host', 'b.example', '--dry-run')
    expect(stdout.match(/"after":null/g)).to.have.lengthOf(2)
    expect(after.size).to.equal(records.length)
  })
})

describe('refilter', () => {
  const newFolder = useTempFolders()
  const sid = dbDatum({
    url: 'http://a.example/p?PHPSESSID=0123456789abcdef0123456789abcdef',
    status: 'db_fetched',
    fetchTimeMs: specTimeMs + dayMs,
    metadata: { from: 'sid', sid: 'x' },
  })
  const plain = dbDatum({ url: 'http://a.example/p', status: 'db_fetched', fetchTimeMs: specTimeMs + 2 * dayMs, metadata: { from: 'plain' } })
  const lone = dbDatum({ url: 'http://a.example/q?PHPSESSID=0123456789abcdef0123456789abcdef', fetchTimeMs: specTimeMs, score: 3 })
  const picture = dbDatum({ url: 'http://a.example/x.jpg', fetchTimeMs: specTimeMs })
  const all = [sid, plain, lone, picture]

  async function prepared(): Promise<string> {
    const folder = newFolder()
    await putRecords(specJob(folder), all)
    return folder
  }

  it('drops what rules reject, naming file and line', async () => {
    const folder = await prepared()
    writeFileSync(join(folder, 'rules.txt'), '# no pictures\n-\\.jpg$\n+.\n')
    const args = ['refilter', folder, '--rules', join(folder, 'rules.txt')]
    const { stdout } = await runCommand([...args, '--dry-run'])
    expect(stdout.split('\n')[0]).to.equal(
      `http://a.example/x.jpg\t${JSON.stringify({ action: 'drop', rule: '-\\.jpg$', file: join(folder, 'rules.txt'), line: 2 })}`,
    )
    expect(stdout).to.match(/^\*\t\{"action":"drop".*"records":1\}$/m)
    expect((await allRecords(specJob(folder))).size).to.equal(4)
    expect((await runCommand(args)).json()).to.include({ records: 4, dropped: 1, moved: 0, errors: 0 })
    expect([...(await allRecords(specJob(folder))).keys()]).to.have.members([sid.url, plain.url, lone.url])
  })

  it('merges records that come to one URL by the rule of mergedb', async () => {
    const folder = await prepared()
    expect((await runCommand(['refilter', folder, '--normalize'])).json()).to.include({ records: 4, dropped: 1, moved: 2, merged: 1 })
    const after = await allRecords(specJob(folder))
    expect([...after.keys()]).to.have.members(['http://a.example/p', 'http://a.example/q'])
    // Both were fetched an interval before they are due; the later one stays, with the metadata of both.
    expect(after.get('http://a.example/p')).to.deep.equal({ ...plain, metadata: { from: 'plain', sid: 'x' } })
    expect(after.get('http://a.example/q')).to.deep.equal({ ...lone, url: 'http://a.example/q' })
    expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
  })

  it('tells before what it would merge', async () => {
    const { stdout } = await runCommand(['refilter', await prepared(), '--normalize', '--dry-run'])
    expect(stdout).to.include('"action":"move","to":"http://a.example/p","merges":true')
    expect(stdout).to.include('"action":"move","to":"http://a.example/q","merges":false')
  })

  it('ends in the same records wherever it is killed', async () => {
    const properties = { 'millrace.merge.batch': 1 }
    const whole = await prepared()
    await withJobDb(specJob(whole), crawlDb => refilterIn(crawlDb, whole, properties))
    const expected = await allRecords(specJob(whole))
    let kills = 0
    for (let at = 0; ; at++) {
      const folder = await prepared()
      const isKilled = await withJobDb(specJob(folder), crawlDb => killedAtCommit(crawlDb, at, () => refilterIn(crawlDb, folder, properties)))
      if (!isKilled) break
      kills++
      await withJobDb(specJob(folder), crawlDb => refilterIn(crawlDb, folder, properties))
      expect(await allRecords(specJob(folder)), `killed at commit ${at}`).to.deep.equal(expected)
    }
    expect(kills).to.be.above(4)
  })

  async function refilterIn(crawlDb: CrawlDb, folder: string, properties: Readonly<Record<string, unknown>>): Promise<void> {
    const context = specJob(folder, properties)
    await refilter(crawlDb, { context, rules: createUrlRules(context.config), isNormalizing: true })
  }
})
