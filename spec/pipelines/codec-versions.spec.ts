import { crc32 } from 'node:zlib'
import { expect } from 'chai'
import { keyOfUrl } from '../../lib/record/url-key.js'
import { withJobDb } from '../../pipelines/job.js'
import { dbDatum } from '../support/db-datum.js'
import { putRecords, specJob } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'
import { readAllEntries } from '../support/test-db.js'

describe('a CrawlDb with a record that a newer build wrote', () => {
  const newFolder = useTempFolders()
  const datum = dbDatum({ url: 'http://a.example/newer' })

  async function folderWithNewer(): Promise<string> {
    const folder = newFolder()
    const job = specJob(folder)
    await putRecords(job, [datum, dbDatum({ url: 'http://a.example/x' })])
    const key = keyOfUrl(datum.url)
    await withJobDb(job, async ({ level }) => {
      const value = (await level.get(`!datum!${key}`)) as Buffer // putRecords put it there
      value[0] = 2
      value.writeUInt32BE(crc32(value.subarray(0, value.length - 4), crc32(key)), value.length - 4)
      await level.put(`!datum!${key}`, value)
    })
    return folder
  }

  for (const argv of [
    ['readdb', '--dump'],
    ['readdb', '--url', datum.url],
    ['readdb', '--verify'],
    ['generate'],
    ['compact', '--rebuild-indexes'],
    ['doctor'],
    ['doctor', '--repair'],
  ]) {
    it(`${argv.join(' ')} refuses it, and leaves it as it is`, async () => {
      const folder = await folderWithNewer()
      const entry = `!datum!${keyOfUrl(datum.url)}`
      const before = (await readAllEntries(`${folder}/crawldb`)).get(entry)
      const [name = '', ...options] = argv
      const error: unknown = await runCommand([name, folder, ...options]).then(
        ({ status }) => status,
        (thrown: unknown) => thrown,
      )
      expect(error).to.have.property('code', 'RECORD_VERSION')
      expect(error).to.have.property('message').that.includes('has version 2, written by a newer build; this build reads 1')
      expect((await readAllEntries(`${folder}/crawldb`)).get(entry)).to.equal(before)
    })
  }
})
