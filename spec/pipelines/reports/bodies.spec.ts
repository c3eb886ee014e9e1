import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeReport } from '../../support/play-report.js'

describeReport('R054', ['crawl', 'readdb'], play => {
  it('reads or cancels every body and keeps its sockets (with 150 URLs; with 3000 in test:long)', async () => {
    const { fill } = play.server()
    const seeds = Array.from({ length: 150 }, (_, index) => fill(`{A}/${'nrv'[index % 3]}/${index}\n`)).join('')
    writeFileSync(join(play.folder(), 'seeds.txt'), seeds)
    writeFileSync(join(play.folder(), 'rules.txt'), '-^http://filtered\\.example\n+.\n')
    const options = ['fetcher.server.delay=0', 'fetcher.threads.per.queue=8', 'fetcher.threads.fetch=50', 'http.agent.name=testbot']
    const args = ['crawl', 'crawl', '--seeds', 'seeds.txt', '--until-idle', '--rules', 'rules.txt', '--allow-address', 'loopback', '--workers', '0']
    const { status, stderr } = await play.run([...args, ...options.flatMap(pair => ['-D', pair])], { timeoutMs: 120_000 })
    expect(status, stderr).to.equal(0)
    expect(stderr).to.not.match(/MaxListenersExceeded/)
    const statuses = [...(await play.dump()).values()].map(({ statusName }) => statusName)
    expect(statuses).to.have.length(150)
    expect(statuses.filter(name => name === 'db_gone')).to.have.length(50)
    expect(statuses.filter(name => name === 'db_redir_temp')).to.have.length(50)
    expect(play.server().maxOpenSockets()).to.be.at.most(8)
  }).timeout(120_000)
})
