import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { HolderFile } from '../../lib/store/holder.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('HolderFile', () => {
  const newFolder = useTempFolders()
  const locked = new CrawlError('DB_LOCKED', 'crawldb is held by another process')

  it('names the holder in the error of a lock', async () => {
    const file = new HolderFile(newFolder())
    await file.write({ pid: 4711, command: 'crawl', sinceMs: Date.UTC(2026, 0, 31, 12) })
    const explained = (await file.explainLock(locked)) as CrawlError
    expect(explained.code).to.equal('DB_LOCKED')
    for (const part of ['4711', 'crawl', '2026-01-31T12:00:00.000Z']) expect(explained.message).to.include(part)
  })

  for (const { what, text } of [
    { what: 'no file', text: undefined },
    { what: 'an empty file', text: '' },
    { what: 'a torn file', text: '{"pid":47' },
    { what: 'a file of something else', text: 'null' },
    { what: 'a file without the fields', text: '{"pid":"x"}' },
  ]) {
    it(`says nothing more than LevelDB where there is ${what}`, async () => {
      const folder = newFolder()
      if (text !== undefined) writeFileSync(join(folder, 'holder.json'), text)
      expect(await new HolderFile(folder).explainLock(locked)).to.equal(locked)
    })
  }

  it('leaves other errors alone, whatever the file says', async () => {
    const file = new HolderFile(newFolder())
    await file.write({ pid: 1, command: 'crawl', sinceMs: 0 })
    const other = new CrawlError('IO_FAILED', 'no')
    expect(await file.explainLock(other)).to.equal(other)
  })

  it('is gone after remove, which may be called again', async () => {
    const folder = newFolder()
    const file = new HolderFile(folder)
    await file.write({ pid: 1, command: 'crawl', sinceMs: 0 })
    await file.remove()
    await file.remove()
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('fails with the code of the disk where it cannot write', async () => {
    const file = new HolderFile(join(newFolder(), 'missing'))
    const error = await file.write({ pid: 1, command: 'crawl', sinceMs: 0 }).catch(thrown => thrown as CrawlError)
    expect(error).to.have.property('code', 'IO_FAILED')
  })
})
