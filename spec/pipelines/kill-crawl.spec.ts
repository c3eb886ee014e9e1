import { expect } from 'chai'
import { randomNumbers } from '../support/kill.js'
import { crawlKilled, crawlUndisturbed, type KillSite, startKillSite } from '../support/kill-crawl.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('a crawl in rounds that is killed anywhere and started again', function () {
  this.timeout(120_000)
  const newFolder = useTempFolders()
  let site: KillSite
  before(async () => {
    site = await startKillSite(40)
  })
  after(() => site.server.close())

  it('ends in the db of the undisturbed run, byte for byte, and asks for a page again only if it was in flight', async () => {
    const random = randomNumbers(Date.now())
    const undisturbed = await crawlUndisturbed(newFolder(), site)
    expect(undisturbed.counts.size).to.be.above(60)
    let kills = 0
    while (kills < 4) kills += await crawlKilled(newFolder(), site, undisturbed, 4, random)
  })
})
