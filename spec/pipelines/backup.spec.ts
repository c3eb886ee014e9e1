import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { CrawlError } from '../../lib/errors/crawl-error.js'
import { makeCrawledFolder, recordLines } from '../support/crawled-folder.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'
import { differences, readAllEntries } from '../support/test-db.js'

describe('millrace backup', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  let crawl: string
  before(async () => {
    crawl = await makeCrawledFolder(newFolder())
  })

  it('gives a folder with the same databases and segments, which can be worked on', async () => {
    const to = join(newFolder(), 'copy')
    const report = (await runCommand(['backup', crawl, to])).json<{ urls: number; segments: number; bytes: number }>()
    expect(report).to.include({ urls: (await recordLines(crawl)).length, segments: 2 })
    expect(differences(await readAllEntries(join(to, 'crawldb')), await readAllEntries(join(crawl, 'crawldb')))).to.deep.equal([])
    expect(differences(await readAllEntries(join(to, 'linkdb')), await readAllEntries(join(crawl, 'linkdb')))).to.deep.equal([])
    expect(readdirSync(join(to, 'segments'))).to.deep.equal(readdirSync(join(crawl, 'segments')))
    expect((await runCommand(['doctor', to])).status).to.equal(0)
    expect((await runCommand(['generate', to])).status).to.equal(0)
    expect(readdirSync(join(crawl, 'segments')), 'the original is left alone').to.have.lengthOf(2)
  })

  it('puts nothing where something stands', async () => {
    const to = newFolder()
    writeFileSync(join(to, 'mine'), '')
    const error = await runCommand(['backup', crawl, to]).catch(thrown => thrown as CrawlError)
    expect(error).to.have.property('code', 'USAGE')
    expect(readdirSync(to)).to.deep.equal(['mine'])
  })

  it('leaves no copy that is not whole', async () => {
    const broken = join(newFolder(), 'broken')
    await runCommand(['backup', crawl, broken])
    const segment = join(broken, 'segments', readdirSync(join(broken, 'segments'))[0] as string)
    writeFileSync(join(segment, 'content-00000.warc.gz'), 'short')
    const to = join(newFolder(), 'copy')
    const error = await runCommand(['backup', broken, to]).catch(thrown => thrown as CrawlError)
    expect(error).to.have.property('code', 'SEGMENT_CORRUPT')
    expect(readdirSync(join(to, '..'))).to.not.include('copy')
    mkdirSync(to)
    expect((await runCommand(['backup', crawl, to])).status, 'an empty folder takes it').to.equal(0)
  })
})
