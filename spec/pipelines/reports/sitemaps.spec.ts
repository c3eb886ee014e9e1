import { expect } from 'chai'
import { describeReport, type ReportPlay, statusesOf } from '../../support/play-report.js'

const counted = ['/robots.txt', '/si.xml', '/si2.xml', '/s.xml']

function expectReadOnce(play: ReportPlay, elapsedMs: number): void {
  const targets = play.server().requests.map(({ target }) => target)
  for (const path of counted) expect(targets.filter(target => target === path).length, path).to.be.within(1, 2)
  expect(elapsedMs).to.be.below(10_000)
}

describeReport('R034', ['sitemap', 'readdb'], play => {
  it('reads each sitemap once with `sitemap DIR HOST`, and finds the page once', async () => {
    const { fill } = play.server()
    const args = ['sitemap', 'crawl', fill('{A}/'), '--rules', 'accept-all.txt', '--allow-address', 'loopback']
    const result = await play.run([...args, '-D', 'fetcher.server.delay=0', '-D', 'http.agent.name=testbot'])
    expect(result.status, result.stderr).to.equal(0)
    expectReadOnce(play, result.elapsedMs)
    expect(statusesOf(await play.dump())).to.deep.equal({ '{A}/page1': 'db_unfetched' })
  })
})

describeReport('R034', ['crawl', 'readdb'], play => {
  for (const limits of [[], ['--until-idle']]) {
    it(`reads each sitemap once in a crawl${limits.length > 0 ? ` with ${limits[0]}` : ' of one round'}`, async () => {
      const { fill } = play.server()
      const more = limits.length > 0 ? limits : ['--rounds', '1']
      const args = ['crawl', 'crawl', fill('{A}/'), ...more, '--sitemaps', 'once', '--rules', 'accept-all.txt', '--allow-address', 'loopback']
      const result = await play.run([...args, '-D', 'fetcher.server.delay=0', '-D', 'http.agent.name=testbot'])
      expect(result.status, result.stderr).to.equal(0)
      expectReadOnce(play, result.elapsedMs)
      const statuses = statusesOf(await play.dump())
      expect(Object.keys(statuses)).to.deep.equal(['{A}/', '{A}/page1'])
      expect(statuses['{A}/page1']).to.equal(limits.length > 0 ? 'db_gone' : 'db_unfetched')
    })
  }
})

describeReport('R059', ['sitemap', 'readdb'], play => {
  it('reads the packed sitemap up to its limit, and says so', async () => {
    const { fill } = play.server()
    const args = ['sitemap', 'crawl', fill('{A}/bomb.xml.gz'), '--no-strict', '--rules', 'accept-all.txt', '--allow-address', 'loopback']
    const result = await play.run([...args, '-D', 'fetcher.server.delay=0', '-D', 'http.agent.name=testbot', '-D', 'sitemap.size.max=1048576'])
    expect(result.status, result.stderr).to.equal(0)
    expect(result.stderr).to.match(/cut_off/)
    expect(result.elapsedMs).to.be.below(10_000)
    for (const url of (await play.dump()).keys()) expect(url).to.equal('http://s.example/first')
  })
})
