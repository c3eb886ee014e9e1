import { join } from 'node:path'
import { expect } from 'chai'
import {
  commandOf,
  continuousCommand,
  crawlToEnd,
  type DbContent,
  dumpDb,
  expectFewRepeats,
  killContinuously,
  linksOf,
  outcomeCounts,
  replay,
  type Totals,
} from '../support/continuous-crawl.js'
import { randomNumbers } from '../support/kill.js'
import { type KillSite, startKillSite } from '../support/kill-crawl.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('a continuous crawl', function () {
  this.timeout(120_000)
  const newFolder = useTempFolders()
  let site: KillSite
  let folder: string
  let totals: Totals
  let processMs: number
  let content: DbContent
  let counts: ReadonlyMap<string, number>

  before(async () => {
    site = await startKillSite(37)
    folder = newFolder()
    const beginMs = performance.now()
    totals = await crawlToEnd(continuousCommand(folder, site))
    processMs = performance.now() - beginMs
    counts = site.requestCounts()
    content = await dumpDb(join(folder, 'crawl'))
  })
  after(() => site.server.close())

  it('gives the records and links that rounds give, but for the scores', async () => {
    const other = newFolder()
    const rounds = await crawlToEnd(commandOf(other, site, ['--rounds', '20']))
    const byRounds = await dumpDb(join(other, 'crawl'))
    expect(content.records).to.deep.equal(byRounds.records)
    expect(content.records.size).to.be.above(60)
    expect(totals).to.include({ fetched: rounds.fetched, urls: rounds.urls, stoppedBy: 'idle' })
    expect(await linksOf(join(folder, 'crawl'))).to.deep.equal(await linksOf(join(other, 'crawl')))
  })

  it('rolls over, and asks for each page once', () => {
    expect(totals.rounds).to.be.above(3)
    expect(new Set(counts.values())).to.deep.equal(new Set([1]))
    expect(new Set(outcomeCounts(join(folder, 'crawl')).values())).to.deep.equal(new Set([1]))
  })

  it('has the scores that replaying its segments in the order of the ledger gives', async () => {
    const replayed = await replay(join(folder, 'crawl'), newFolder(), site)
    expect(replayed.records).to.deep.equal(content.records)
    expect(replayed.scores).to.deep.equal(content.scores)
    expect(new Set(content.scores.values()).size).to.be.above(10)
  })

  it('that is killed at random moments loses no page and doubles none', async () => {
    const random = randomNumbers(Date.now())
    let kills = 0
    while (kills < 10) {
      site.forget()
      const killed = newFolder()
      const command = continuousCommand(killed, site)
      const { delays, totals: end } = await killContinuously(command, 5, processMs, random)
      kills += delays.length
      const title = `killed after ${delays.join(', ')} ms`
      expect(end, title).to.include({ fetched: totals.fetched, urls: totals.urls })
      const after = await dumpDb(join(killed, 'crawl'))
      expect(after.records, title).to.deep.equal(content.records)
      expect(new Set(outcomeCounts(join(killed, 'crawl')).values()), title).to.deep.equal(new Set([1]))
      expectFewRepeats(site, counts, delays.length, title)
      expect((await replay(join(killed, 'crawl'), newFolder(), site)).scores, title).to.deep.equal(after.scores)
    }
  })
})
