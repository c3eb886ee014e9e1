import { expect } from 'chai'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('a crawl without a URL', () => {
  const newFolder = useTempFolders()
  const seeds: readonly [string, readonly string[]][] = [
    ['without seeds', []],
    ['with a seed that is none', ['mailto:someone@example.com']],
  ]
  for (const [name, given] of seeds) {
    it(`${name} says so, and exits with 1`, async () => {
      const run = await runCommand(['crawl', newFolder(), ...given, '--rounds', '1', '-D', 'http.agent.name=t', '-D', 'millrace.workers=0'])
      expect(run.status).to.equal(1)
      expect(run.json<object>()).to.include({ urls: 0, fetched: 0 })
      expect(run.log.filter(line => line.includes('no URL is in the CrawlDb'))).to.have.length(1)
    })
  }
})
