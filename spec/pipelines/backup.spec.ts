import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
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

  for (const { name, toOf } of [
    { name: 'in the folder that it copies', toOf: (own: string) => join(own, 'copies', 'today') },
    { name: 'in the folder that it copies, by a link', toOf: (own: string) => join(own, '..', 'link', 'copy') },
  ])
    it(`refuses to stand ${name}: it would copy itself without end`, async () => {
      const own = join(newFolder(), 'crawl')
      cpSync(crawl, own, { recursive: true })
      symlinkSync(own, join(own, '..', 'link'))
      const error = await runCommand(['backup', own, toOf(own)]).catch(thrown => thrown as CrawlError)
      expect(error).to.have.property('code', 'USAGE')
      expect(readdirSync(own, { recursive: true }).filter(file => String(file).endsWith('.partial'))).to.deep.equal([])
    })

  it('has the configuration, where its file is a link, too', async () => {
    const folder = newFolder()
    const own = join(folder, 'crawl')
    cpSync(crawl, own, { recursive: true })
    writeFileSync(join(folder, 'shared.json'), '{"fetcher.server.delay": 7}')
    symlinkSync('../shared.json', join(own, 'millrace.config.json'))
    symlinkSync('.', join(own, 'itself'))
    const to = join(newFolder(), 'copy')
    expect((await runCommand(['backup', own, to])).status).to.equal(0)
    expect(readFileSync(join(to, 'millrace.config.json'), 'utf8')).to.equal('{"fetcher.server.delay": 7}')
    expect(existsSync(join(to, 'itself'))).to.equal(false)
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
