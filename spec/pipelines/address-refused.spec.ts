import { expect } from 'chai'
import { runCommand } from '../support/run-command.js'
import { startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('a crawl of special addresses', () => {
  const newFolder = useTempFolders()

  it('that none were allowed for asks nothing, and says so once', async () => {
    const hosts = ['127.0.0.1', '127.0.0.2']
    const server = await startServer({ hosts, routes: {} })
    const seeds = hosts.map(host => `${server.origin(host)}/`)
    const run = await runCommand(['crawl', newFolder(), ...seeds, '--rounds', '1', '-D', 'http.agent.name=t', '-D', 'millrace.workers=0'])
    await server.close()
    expect(server.requests).to.deep.equal([])
    expect(run.json<{ counts: object }>().counts).to.include({ 'fetch/address_refused': 2 })
    expect(run.log.filter(line => line.startsWith('warn') && line.includes('--allow-address'))).to.have.length(1)
  })
})
