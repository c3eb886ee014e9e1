import { join } from 'node:path'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { makeCrawledFolder } from '../support/crawled-folder.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

async function anchorsIn(crawl: string): Promise<string[]> {
  const { stdout } = await runCommand(['readlinkdb', crawl, '--dump', '--json'])
  const links = stdout.trimEnd().split('\n')
  return links.map(line => (JSON.parse(line.slice(line.indexOf('\t'))) as { anchor: string }).anchor) // the documented form
}

describe('values in LevelDB', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()

  it('are never empty, since classic-level loses memory with each empty value that it writes', async () => {
    const crawl = await makeCrawledFolder(newFolder())
    for (const name of ['crawldb', 'linkdb']) {
      const level = new ClassicLevel<string, Buffer>(join(crawl, name), { valueEncoding: 'buffer' })
      const entries = await level.iterator().all()
      await level.close()
      expect(entries.length, name).to.be.above(20)
      if (name === 'linkdb') expect(await anchorsIn(crawl)).to.include('')
      expect(
        entries.filter(([, value]) => value.length === 0).map(([key]) => key),
        name,
      ).to.deep.equal([])
    }
  })
})
