import { expect } from 'chai'
import { withSnapshot } from '../../lib/crawldb/snapshot-view.js'
import { verifyCrawlDb } from '../../lib/crawldb/verify.js'
import type { DbDatum } from '../../lib/record/records.js'
import { dbDatum } from '../support/db-datum.js'
import { useTempFolders } from '../support/temp-folder.js'
import { putRecords, withTestDb } from '../support/test-db.js'

describe('withSnapshot', () => {
  const newFolder = useTempFolders()
  const records = Array.from({ length: 30 }, (_, index) => dbDatum({ url: `http://h${index % 3}.example/${index}`, score: index }))

  it('shows the db as it was, in every way of reading, while others write', async () => {
    await withTestDb(newFolder(), async crawlDb => {
      await putRecords(crawlDb, records)
      await withSnapshot(crawlDb, async view => {
        await putRecords(crawlDb, [
          ...records.map(datum => ({ ...datum, score: -1, status: 'db_gone' as const })),
          dbDatum({ url: 'http://late.example/' }),
        ])
        expect(view.count).to.equal(30)
        const first = records[0] as DbDatum
        expect(await view.get(first.url)).to.deep.equal(first)
        const seen: DbDatum[] = []
        for await (const datum of view.records()) seen.push(datum)
        expect(seen).to.have.lengthOf(30)
        expect(seen.every(({ status }) => status === 'db_unfetched')).to.equal(true)
        for await (const finding of verifyCrawlDb(view)) expect.fail(JSON.stringify(finding))
      })
      expect(crawlDb.count).to.equal(31)
      expect((await crawlDb.get((records[0] as DbDatum).url))?.status).to.equal('db_gone')
    })
  })

  it('lets nobody write', async () => {
    await withTestDb(newFolder(), async crawlDb => {
      await withSnapshot(crawlDb, async view => {
        const error = await putRecords(view, records).catch(thrown => thrown as Error)
        expect(String((error as Error).message) + String((error as Error).cause ?? '')).to.include('snapshot')
      })
      expect(crawlDb.count).to.equal(0)
      await putRecords(crawlDb, records)
      expect(crawlDb.count).to.equal(30)
    })
  })
})
