import { expect } from 'chai'
import { randomNumbers } from '../support/kill.js'
import { crawlContinuouslyUndisturbed, killContinuous } from '../support/kill-continuous.js'
import { type KillSite, startKillSite } from '../support/kill-crawl.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('a continuous crawl that is killed anywhere and started again', function () {
  this.timeout(120_000)
  const newFolder = useTempFolders()
  let site: KillSite
  before(async () => {
    site = await startKillSite(41)
  })
  after(() => site.server.close())

  it('gives the same URLs, statuses and signatures, and asks for a page again only if it was in flight', async () => {
    const random = randomNumbers(Date.now())
    const undisturbed = await crawlContinuouslyUndisturbed(newFolder(), site)
    expect(undisturbed.pages.size).to.be.above(60)
    let kills = 0
    while (kills < 3) kills += await killContinuous(newFolder(), site, undisturbed, 4, random)
  })
})
