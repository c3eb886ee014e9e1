import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { keepInternalLinks, makeCrawledFolder } from '../support/crawled-folder.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

/** Above what a system gives. */
const deadPid = 99_999_999

describe('what killed processes leave', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  let sound: string

  before(async () => {
    sound = await makeCrawledFolder(newFolder())
  })

  function copy(): string {
    const crawl = join(newFolder(), 'crawl')
    cpSync(sound, crawl, { recursive: true })
    return crawl
  }

  /** Lines that doctor prints, one for each finding. */
  async function repair(crawl: string): Promise<string[]> {
    const { stdout } = await runCommand(['doctor', crawl, '--json', '--repair', ...keepInternalLinks])
    return stdout.split('\n').filter(line => line !== '')
  }

  for (const { name, isLeft } of [
    { name: 'generate-lists', isLeft: true },
    { name: 'generate-ahead', isLeft: true },
    { name: 'locks-20260301000000', isLeft: true },
    { name: `freegen-${deadPid}`, isLeft: true },
    { name: `freegen-${process.pid}`, isLeft: false },
    { name: `politeness-${deadPid}`, isLeft: true },
    { name: `expire-${deadPid}`, isLeft: true },
    { name: `readseg-${deadPid}-20260301000000`, isLeft: true },
    { name: `readseg-${process.pid}-20260301000000`, isLeft: false },
    { name: `index-${deadPid}-20260301000000`, isLeft: true },
    { name: 'updatedb-0123456789abcdef', isLeft: true },
    { name: 'notes', isLeft: false },
  ]) {
    it(`${isLeft ? 'takes away' : 'leaves'} spool/${name}`, async () => {
      const crawl = copy()
      mkdirSync(join(crawl, 'spool', name), { recursive: true })
      writeFileSync(join(crawl, 'spool', name, 'run-00000'), '')
      expect(await repair(crawl)).to.have.lengthOf(isLeft ? 1 : 0)
      expect(existsSync(join(crawl, 'spool', name))).to.equal(!isLeft)
    })
  }

  it('takes away what a process left that was killed while it replaced a file', async () => {
    const crawl = copy()
    for (const name of ['crawl.json.tmp', 'status.json.tmp', 'politeness.json.4711.tmp']) writeFileSync(join(crawl, name), '{')
    expect(await repair(crawl)).to.have.lengthOf(3)
    expect(readdirSync(crawl).filter(name => name.endsWith('.tmp'))).to.deep.equal([])
  })
})
