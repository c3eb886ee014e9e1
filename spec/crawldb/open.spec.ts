import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { verifyCrawlDb } from '../../lib/crawldb/verify.js'
import type { CrawlError } from '../../lib/errors/crawl-error.js'
import { storedUrl } from '../../lib/record/url.js'
import { dbDatum } from '../support/db-datum.js'
import { useTempFolders } from '../support/temp-folder.js'
import { putRecords, withTestDb } from '../support/test-db.js'

describe('withCrawlDb', () => {
  const newFolder = useTempFolders()

  it('makes no db, and leaves nothing behind, where one is only to be read', async () => {
    const folder = newFolder()
    const error = await withTestDb(folder, async () => undefined, { isCreating: false }).catch(thrown => thrown as CrawlError)
    expect(error).to.have.property('code', 'DB_MISSING')
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('keeps records from one opening to the next', async () => {
    const folder = newFolder()
    const datum = dbDatum({ url: 'http://a.example/x?y=1', score: 0.25, metadata: { k: 'ü\t' }, signature: Uint8Array.of(1, 2, 0) })
    await withTestDb(folder, crawlDb => putRecords(crawlDb, [datum]))
    expect(await withTestDb(folder, crawlDb => crawlDb.get(datum.url))).to.deep.equal(datum)
    expect(await withTestDb(folder, crawlDb => crawlDb.get(storedUrl('http://a.example/x')))).to.equal(undefined)
  })

  it('names the holder to whoever comes second, and is free again afterwards', async () => {
    const folder = newFolder()
    await withTestDb(folder, async () => {
      expect(JSON.parse(readFileSync(join(folder, 'holder.json'), 'utf8'))).to.include({ pid: process.pid, command: 'spec' })
      const error = await withTestDb(folder, async () => undefined).catch(thrown => thrown as CrawlError)
      expect(error).to.have.property('code', 'DB_LOCKED')
      expect((error as CrawlError).message).to.include(String(process.pid))
    })
    expect(existsSync(join(folder, 'holder.json'))).to.equal(false)
    expect(await withTestDb(folder, async crawlDb => crawlDb.count)).to.equal(0)
  })

  it('closes the db where its user fails, and hands the failure on', async () => {
    const folder = newFolder()
    const failure = new Error('mine')
    expect(await withTestDb(folder, () => Promise.reject(failure)).catch(error => error as Error)).to.equal(failure)
    expect(await withTestDb(folder, async crawlDb => crawlDb.count)).to.equal(0)
  })

  it('rebuilds the indexes where they were ordered otherwise', async () => {
    const folder = newFolder()
    const records = Array.from({ length: 50 }, (_, index) =>
      dbDatum({ url: `http://h${index % 4}.example/${index}`, score: index, fetchTimeMs: index % 2 === 0 ? 0 : 1e12 }),
    )
    await withTestDb(folder, crawlDb => putRecords(crawlDb, records))
    await withTestDb(
      folder,
      async crawlDb => {
        expect(crawlDb.state.sortFingerprint).to.equal('other')
        expect(crawlDb.count).to.equal(50)
        for await (const finding of verifyCrawlDb(crawlDb)) expect.fail(JSON.stringify(finding))
      },
      { fingerprint: 'other' },
    )
  })
})
