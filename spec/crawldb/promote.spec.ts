import { expect } from 'chai'
import fc from 'fast-check'
import { lockDatum } from '../../lib/crawldb/lock.js'
import { indexKeyOf, placeOf } from '../../lib/crawldb/place.js'
import { promoteDue } from '../../lib/crawldb/promote.js'
import { bucketOf } from '../../lib/crawldb/sort-bucket.js'
import { tableRange, tables } from '../../lib/crawldb/tables.js'
import { verifyCrawlDb } from '../../lib/crawldb/verify.js'
import { keyOfUrl } from '../../lib/record/url-key.js'
import { dbDatum } from '../support/db-datum.js'
import { useTempFolders } from '../support/temp-folder.js'
import { putRecords, withTestDb } from '../support/test-db.js'

describe('promoteDue', () => {
  const newFolder = useTempFolders()

  it('moves exactly what is due, over any sequence of times, also when the clock goes back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 5 }),
        async (times, nows) => {
          await withTestDb(newFolder(), async crawlDb => {
            await putRecords(
              crawlDb,
              times.map((fetchTimeMs, index) => dbDatum({ url: `http://h${index % 3}.example/${index}`, fetchTimeMs })),
            )
            let latest = -1
            for (const nowMs of nows) {
              const moved = await promoteDue(crawlDb, nowMs)
              expect(moved).to.equal(times.filter(time => time <= nowMs && time > latest).length)
              latest = Math.max(latest, nowMs)
              expect(await crawlDb.level.keys(tableRange(tables.due)).all()).to.have.lengthOf(times.filter(time => time <= latest).length)
              for await (const finding of verifyCrawlDb(crawlDb)) expect.fail(JSON.stringify(finding))
            }
          })
        },
      ),
      { numRuns: 20 },
    )
  })

  it('moves more than one batch of one instant', async () => {
    await withTestDb(newFolder(), async crawlDb => {
      await putRecords(
        crawlDb,
        Array.from({ length: 4500 }, (_, index) => dbDatum({ url: `http://h${index % 5}.example/${index}`, fetchTimeMs: 7 })),
      )
      expect(await promoteDue(crawlDb, 6)).to.equal(0)
      expect(await promoteDue(crawlDb, 7)).to.equal(4500)
      expect(await promoteDue(crawlDb, 8)).to.equal(0)
      for await (const finding of verifyCrawlDb(crawlDb)) expect.fail(JSON.stringify(finding))
    })
  })

  it('takes a record that is put after its time straight into due', async () => {
    await withTestDb(newFolder(), async crawlDb => {
      await promoteDue(crawlDb, 100)
      await putRecords(crawlDb, [dbDatum({ url: 'http://a.example/', fetchTimeMs: 100 }), dbDatum({ url: 'http://b.example/', fetchTimeMs: 101 })])
      expect(await crawlDb.level.keys(tableRange(tables.due)).all()).to.have.lengthOf(1)
      expect(await promoteDue(crawlDb, 101)).to.equal(1)
    })
  })
})

describe('placeOf', () => {
  const key = keyOfUrl(dbDatum().url)
  const score = (datum: { readonly score: number }): number => datum.score
  for (const { what, datum, mark, isDue } of [
    { what: 'before the mark', datum: dbDatum({ fetchTimeMs: 5 }), mark: { timeMs: 6, key: '' }, isDue: true },
    { what: 'at the mark, and its key was passed', datum: dbDatum({ fetchTimeMs: 5 }), mark: { timeMs: 5, key }, isDue: true },
    { what: 'at the mark, and its key was not passed', datum: dbDatum({ fetchTimeMs: 5 }), mark: { timeMs: 5, key: '' }, isDue: false },
    { what: 'behind the mark', datum: dbDatum({ fetchTimeMs: 7 }), mark: { timeMs: 6, key }, isDue: false },
    {
      what: 'due but locked beyond the mark',
      datum: lockDatum(dbDatum({ fetchTimeMs: 5 }), { segment: 's', timeMs: 5, untilMs: 9 }),
      mark: { timeMs: 8, key },
      isDue: false,
    },
    {
      what: 'due and its lock ended',
      datum: lockDatum(dbDatum({ fetchTimeMs: 5 }), { segment: 's', timeMs: 5, untilMs: 7 }),
      mark: { timeMs: 8, key },
      isDue: true,
    },
    { what: 'before 1970', datum: dbDatum({ fetchTimeMs: -1 }), mark: { timeMs: 0, key }, isDue: true },
  ]) {
    it(`puts a record ${what} into ${isDue ? 'due' : 'wait'}`, () => {
      const place = placeOf(key, datum, mark, score)
      expect(place.bucket).to.equal(isDue ? bucketOf(1) : undefined)
      expect(indexKeyOf(key, place).startsWith(isDue ? tables.due : tables.wait)).to.equal(true)
    })
  }
})
