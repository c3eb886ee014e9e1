import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { CrawlError } from '../../lib/errors/crawl-error.js'
import { dbDatum } from '../support/db-datum.js'
import { useTempFolders } from '../support/temp-folder.js'
import { putRecords, withTestDb } from '../support/test-db.js'

/** Everything below a folder: names, sizes. */
function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !/^LOG|^LOCK/.test(entry.name))
    .map(entry => `${entry.name} ${statSync(join(entry.parentPath, entry.name)).size}`)
    .sort()
}

const fileIn = (folder: string, pattern: RegExp): string =>
  join(folder, 'crawldb', readdirSync(join(folder, 'crawldb')).find(name => pattern.test(name)) ?? 'none')
const halve = (file: string): void => truncateSync(file, Math.floor(statSync(file).size / 2))

describe('a CrawlDb whose files were damaged', () => {
  const newFolder = useTempFolders()
  let sound: string
  before(async () => {
    sound = newFolder()
    for (let part = 0; part < 3; part++) {
      await withTestDb(sound, async crawlDb => {
        await putRecords(
          crawlDb,
          Array.from({ length: 500 }, (_, index) => dbDatum({ url: `http://h${index % 9}.example/${part}/${index}` })),
        )
        await crawlDb.compact('!')
      })
    }
  })

  function copy(): string {
    const folder = newFolder()
    cpSync(sound, folder, { recursive: true })
    return folder
  }

  it('is what the other cases start from: it opens and holds all', async () => {
    expect(await withTestDb(copy(), async crawlDb => crawlDb.count, { isCreating: false })).to.equal(1500)
  })

  for (const { what, damage } of [
    { what: 'MANIFEST is cut in half', damage: (folder: string) => halve(fileIn(folder, /^MANIFEST/)) },
    { what: 'MANIFEST is empty', damage: (folder: string) => truncateSync(fileIn(folder, /^MANIFEST/), 0) },
    { what: 'MANIFEST is gone', damage: (folder: string) => rmSync(fileIn(folder, /^MANIFEST/)) },
    { what: 'CURRENT is gone', damage: (folder: string) => rmSync(join(folder, 'crawldb', 'CURRENT')) },
    { what: 'CURRENT is empty', damage: (folder: string) => truncateSync(join(folder, 'crawldb', 'CURRENT'), 0) },
    { what: 'CURRENT names an older MANIFEST', damage: (folder: string) => writeFileSync(join(folder, 'crawldb', 'CURRENT'), 'MANIFEST-000001\n') },
    {
      what: 'CURRENT and the seal are gone',
      damage: (folder: string) => {
        for (const name of ['crawldb/CURRENT', 'crawldb.seal']) rmSync(join(folder, name))
      },
    },
    { what: 'the folder is gone', damage: (folder: string) => rmSync(join(folder, 'crawldb'), { recursive: true }) },
    { what: 'the seal is torn', damage: (folder: string) => halve(join(folder, 'crawldb.seal')) },
    { what: 'a table is gone', damage: (folder: string) => rmSync(fileIn(folder, /\.ldb$/)) },
  ]) {
    for (const isCreating of [false, true]) {
      it(`is refused and left as it is where ${what}${isCreating ? ', also by a job that would make one' : ''}`, async () => {
        const folder = copy()
        damage(folder)
        const before = listing(folder)
        const error = await withTestDb(folder, async crawlDb => crawlDb.count, { isCreating }).catch(thrown => thrown as CrawlError)
        expect(error).to.have.property('code', 'DB_DAMAGED')
        expect((error as CrawlError).message).to.include(`millrace doctor ${folder} --repair`)
        expect(listing(folder)).to.deep.equal(before)
      })
    }
  }

  it('is refused where the log lost what was sealed', async () => {
    const folder = copy()
    await withTestDb(folder, crawlDb => putRecords(crawlDb, [dbDatum({ url: 'http://late.example/' })]))
    truncateSync(fileIn(folder, /\.log$/), 0)
    const error = await withTestDb(folder, async crawlDb => crawlDb.count).catch(thrown => thrown as CrawlError)
    expect(error).to.have.property('code', 'DB_DAMAGED')
    expect((error as CrawlError).message).to.match(/batch \d+ .*1501/)
  })

  it('is refused where LevelDB passes over a batch in the middle of its log', async () => {
    const folder = copy()
    await withTestDb(folder, async crawlDb => {
      for (let batch = 0; batch < 6; batch++) {
        await putRecords(
          crawlDb,
          Array.from({ length: 400 }, (_, index) => dbDatum({ url: `http://late${batch}.example/${index}` })),
        )
      }
    })
    const log = fileIn(folder, /\.log$/)
    const bytes = readFileSync(log)
    for (let at = 40_000; at < 40_400; at++) bytes[at] = (bytes[at] as number) ^ 0xff
    writeFileSync(log, bytes)
    const error = await withTestDb(folder, async crawlDb => crawlDb.count).catch(thrown => thrown as CrawlError)
    expect(error).to.have.property('code', 'DB_DAMAGED')
    expect((error as CrawlError).message).to.match(/batch \d+ of \d+ is missing/)
  })
})
