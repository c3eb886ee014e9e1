import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli, startCli } from '../support/cli.js'
import { acceptAll } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

const seedsEach = 300

// Whoever came while another was opening or closing the db was refused with DB_LOCKED, also a crawl that met the inject of a cron job.
describe('commands that start at the same moment', function () {
  this.timeout(120_000)
  const newFolder = useTempFolders()

  it('all come to their end: each waits for the others, or runs within the one that holds the db', async () => {
    const folder = newFolder()
    const names = ['a', 'b', 'c']
    for (const name of names)
      writeFileSync(join(folder, name), Array.from({ length: seedsEach }, (_, index) => `http://h${index % 9}.example/${name}/${index}\n`).join(''))
    const running = names.map(name => startCli(['inject', join(folder, 'crawl'), join(folder, name), ...acceptAll]))
    for (const { result } of running) {
      const { status, stderr } = await result
      expect(status, stderr).to.equal(0)
    }
    const [stats] = (await runCli(['readdb', join(folder, 'crawl'), '--stats', '--json'])).json<{ totalUrls: number }>()
    expect(stats?.totalUrls).to.equal(names.length * seedsEach)
  })
})
