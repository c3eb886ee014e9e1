import { expect } from 'chai'
import type { DbDatum } from '../../lib/record/records.js'
import { withJobDb } from '../../pipelines/job.js'
import { dbDatum } from '../support/db-datum.js'
import { allRecords, putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'
import { readAllEntries } from '../support/test-db.js'

const dayS = 86_400
const nowS = specTimeMs / 1000

describe('dedup --near', () => {
  const newFolder = useTempFolders()
  const page = (url: string, hash: string, parts: Partial<DbDatum> = {}): DbDatum =>
    dbDatum({ status: 'db_fetched', fetchTimeMs: specTimeMs, ...parts, url, signature: Buffer.from(hash, 'hex') })
  const pages = [
    page('http://a.example/best', '0000000000000000', { score: 3 }),
    page('http://a.example/one', '0000000000000001'),
    page('http://b.example/three', '0000000000000007', { score: 2 }),
    page('http://b.example/far', 'ffffffff00000000'),
    page('http://b.example/gone', '0000000000000000', { status: 'db_gone' }),
    page('http://b.example/md5', '00000000000000000000000000000000'),
  ]
  async function near(...args: string[]): Promise<{ readonly status: number; readonly stdout: string }> {
    const folder = newFolder()
    await putRecords(specJob(folder), pages)
    return runCommand(['dedup', folder, '--near', ...args])
  }

  it('prints clusters, each with the page to keep first, and the bits between', async () => {
    // From 0 to 1 it is one bit, from 1 to 7 two, so that three pages hang together at two bits.
    expect((await near('2')).stdout).to.equal(
      'http://a.example/best\t{"pages":3,"near":[{"url":"http://b.example/three","distance":3},{"url":"http://a.example/one","distance":1}]}\n',
    )
  })
  it('connects less within fewer bits, and looks within hosts on demand', async () => {
    expect((await near('1')).stdout).to.equal('http://a.example/best\t{"pages":2,"near":[{"url":"http://a.example/one","distance":1}]}\n')
    expect((await near('3', '--group', 'host')).stdout).to.match(/^http:\/\/a\.example\/best\t\{"pages":2.*\n$/)
  })
  it('finds nothing near with no bits between, and refuses too many', async () => {
    expect((await near('0')).status).to.equal(1)
    expect(await near('16').catch((error: unknown) => error)).to.include({ code: 'USAGE' })
  })
  it('says that there is no SimHash', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), [dbDatum()])
    const { status, log } = await runCommand(['dedup', folder, '--near', '3'])
    expect(status).to.equal(1)
    expect(log.join()).to.include('db.signature.class=SimHash')
  })
})

describe('sweep', () => {
  const newFolder = useTempFolders()
  const seen = (days: number): Readonly<Record<string, string>> => ({ _orphan_: String(nowS - days * dayS) })
  const records = [
    dbDatum({ url: 'http://a.example/gone', status: 'db_gone' }),
    dbDatum({ url: 'http://a.example/seen', status: 'db_fetched', metadata: seen(29) }),
    dbDatum({ url: 'http://a.example/unseen', status: 'db_fetched', metadata: seen(31) }),
    dbDatum({ url: 'http://a.example/orphan', status: 'db_fetched', metadata: seen(41) }),
    dbDatum({ url: 'http://a.example/never', status: 'db_fetched' }),
  ]
  async function swept(...args: string[]): Promise<Record<string, string>> {
    const folder = newFolder()
    await putRecords(specJob(folder), records)
    await runCommand(['sweep', folder, ...args])
    expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
    return Object.fromEntries(
      [...(await allRecords(specJob(folder))).values()].map(({ url, status }) => [url.slice('http://a.example/'.length), status]),
    )
  }
  const fetched = { seen: 'db_fetched', never: 'db_fetched' }

  for (const { args, expected } of [
    { args: [], expected: { gone: 'db_gone', ...fetched, unseen: 'db_fetched', orphan: 'db_fetched' } },
    { args: ['--gone'], expected: { ...fetched, unseen: 'db_fetched', orphan: 'db_fetched' } },
    // Gone after 30 days without an inlink, orphan after 40 (Nutch: 2592000 s and 3456000 s).
    { args: ['-D', 'scoring.filter.order=opic,orphan'], expected: { gone: 'db_gone', ...fetched, unseen: 'db_gone', orphan: 'db_orphan' } },
    { args: ['-D', 'scoring.filter.order=opic,orphan', '--orphans'], expected: { gone: 'db_gone', ...fetched, unseen: 'db_gone' } },
    { args: ['-D', 'scoring.filter.order=opic,orphan', '--orphans', '--gone'], expected: fetched },
  ])
    it(`${args.join(' ') || 'without options'}: ${JSON.stringify(expected)}`, async () => expect(await swept(...args)).to.deep.equal(expected))
})

describe('compact', () => {
  const newFolder = useTempFolders()
  const many = Array.from({ length: 500 }, (_, index) =>
    dbDatum({ url: `http://h${index % 7}.example/${index}`, score: index / 500, signature: Buffer.from([index & 255]) }),
  )

  it('gives room back and leaves every record and index as it was', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), many)
    await runCommand(['delete', folder, '--host', 'h1.example'])
    const before = await readAllEntries(`${folder}/crawldb`)
    const { crawldb } = (await runCommand(['compact', folder])).json<{ crawldb: { beforeBytes: number; afterBytes: number } }>()
    expect(crawldb.beforeBytes).to.be.above(0)
    expect(crawldb.afterBytes).to.be.below(crawldb.beforeBytes)
    expect(await readAllEntries(`${folder}/crawldb`)).to.deep.equal(before)
  })

  for (const option of ['--rebuild-indexes', '--rewrite']) {
    it(`${option} makes the same of what was whole, but for the count of batches`, async () => {
      const folder = newFolder()
      await putRecords(specJob(folder), many)
      await runCommand(['generate', folder, '--top-n', '50', '--no-filter'])
      const entries = async (): Promise<Map<string, string>> => {
        const found = await readAllEntries(`${folder}/crawldb`)
        for (const key of [...found.keys()]) if (key.startsWith('!meta!')) found.delete(key)
        return found
      }
      const before = await entries()
      await runCommand(['compact', folder, option])
      expect(await entries()).to.deep.equal(before)
      expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
    })
  }

  it('--rebuild-indexes mends indexes that lost entries', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), many)
    await withJobDb(specJob(folder), crawlDb => crawlDb.level.clear({ gte: '!wait!', lt: '!wait"' }))
    expect((await runCommand(['readdb', folder, '--verify'])).status).to.equal(4)
    await runCommand(['compact', folder, '--rebuild-indexes'])
    expect((await runCommand(['readdb', folder, '--verify'])).status).to.equal(0)
  })
})
