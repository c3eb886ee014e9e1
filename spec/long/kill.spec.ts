import { randomNumbers } from '../support/kill.js'
import { crawlContinuouslyUndisturbed, killContinuous } from '../support/kill-continuous.js'
import { crawlKilled, crawlUndisturbed, type KillSite, startKillSite } from '../support/kill-crawl.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('500 kills', () => {
  const newFolder = useTempFolders()
  let site: KillSite
  before(async () => {
    site = await startKillSite(80)
  })
  after(() => site.server.close())

  it('of a crawl in rounds lose nothing, double nothing, and leave the db of the undisturbed run', async () => {
    const random = randomNumbers(Date.now())
    const undisturbed = await crawlUndisturbed(newFolder(), site)
    let kills = 0
    while (kills < 250) kills += await crawlKilled(newFolder(), site, undisturbed, 2 + Math.floor(random() * 12), random)
  })

  it('of a continuous crawl lose no page and double none', async () => {
    const random = randomNumbers(Date.now())
    const undisturbed = await crawlContinuouslyUndisturbed(newFolder(), site)
    let kills = 0
    while (kills < 250) kills += await killContinuous(newFolder(), site, undisturbed, 1 + Math.floor(random() * 10), random)
  })
})
