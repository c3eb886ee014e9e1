import { expect } from 'chai'
import { describeReport, statusesOf } from '../../support/play-report.js'

describeReport('R019', ['crawl', 'readdb'], play => {
  it('ends what drips, stalls or never comes to the body, and waits for none of it elsewhere', async () => {
    const server = play.server()
    await play.crawl(
      ['{A}/drip', '{A}/slowhead', '{A}/stall', '{B}/fast'],
      [...['-D', 'http.timeout=2000', '-D', 'http.time.limit=4', '-D', 'fetcher.threads.per.queue=3']],
    )
    const pages = server.requests.filter(({ target }) => target !== '/robots.txt')
    expect(pages.map(({ target }) => target)).to.have.members(['/drip', '/slowhead', '/stall', '/fast'])
    const firstMs = Math.min(...server.requests.map(({ startMs }) => startMs))
    expect((pages.find(({ target }) => target === '/fast')?.startMs ?? Number.POSITIVE_INFINITY) - firstMs).to.be.below(2000)
    expect(statusesOf(await play.dump())['{B}/fast']).to.equal('db_fetched')
    const outcomes = play.outcomes()
    for (const path of ['drip', 'slowhead', 'stall']) {
      const outcome = outcomes.get(`{A}/${path}`)
      const { startMs = 0, endMs = Number.POSITIVE_INFINITY } = outcome?.timing ?? {}
      expect(endMs - startMs, path).to.be.within(1900, 6000)
      expect(`${outcome?.truncated} ${outcome?.cause}`, path).to.match(/time/)
    }
    expect(server.openSockets()).to.equal(0)
  })
})

describeReport('R023', ['crawl', 'readdb'], play => {
  for (const isChecked of [true, false]) {
    it(`records TLS and connection failures as those of one URL, certificate check ${isChecked ? 'on' : 'off'}`, async () => {
      const { port } = play.server()
      const tls = `https://127.0.0.1:${port}/t`
      const closed = `https://127.0.0.1:${closedPort}/`
      await play.crawl([tls, closed, '{A}/ok'], ['-D', `http.tls.certificates.check=${isChecked}`])
      const records = await play.dump()
      expect(records.get('{A}/ok')?.statusName).to.equal('db_fetched')
      for (const url of [tls, closed]) expect(records.get(url)).to.include({ statusName: 'db_unfetched', retriesSinceFetch: 1 })
      expect(records.get(tls)?.metadata._pst_).to.match(/exception\(16\).*(tls|ssl)/i)
      expect(records.get(closed)?.metadata._pst_).to.match(/exception\(16\).*(refused)/i)
    })
  }
})

/** Nothing listens there, and unlike a port that was just closed the system gives it to no other program. */
const closedPort = 1

describeReport('R056', ['crawl', 'readdb'], play => {
  it('frees the slots of redirects whose body never comes, and of hosts that never answer (with a quarter of the timeout)', async () => {
    const server = play.server()
    const path = (letter: string, folder: string, count: number) => Array.from({ length: count }, (_, index) => `{${letter}}/${folder}/${index + 1}`)
    const seeds = [...path('A', 'r', 20), ...path('B', 'h', 20), ...path('C', 'ok', 5)]
    const limits = ['-D', 'http.timeout=500', '-D', 'fetcher.threads.fetch=5', '-D', 'fetcher.threads.per.queue=5', '-D', 'http.redirect.max=0']
    await play.crawl(seeds, [...limits, '-D', 'fetcher.max.exceptions.per.queue=-1'])
    const [first] = server.requests
    for (const { host, target, startMs } of server.requests)
      if (host === '127.0.0.3' && target.startsWith('/ok/')) expect(startMs - (first?.startMs ?? 0)).to.be.below(3750)
    const outcomes = play.outcomes()
    for (const [url, { cause }] of outcomes) if (url.startsWith('{B}/h/')) expect(cause, url).to.match(/time/)
    const statuses = statusesOf(await play.dump())
    for (const [url, status] of Object.entries(statuses)) {
      if (url.startsWith('{A}/r/')) expect(status, url).to.equal('db_redir_temp')
      if (url.startsWith('{B}/h/')) expect(status, url).to.equal('db_unfetched')
      if (url.startsWith('{C}/ok/')) expect(status, url).to.equal('db_fetched')
    }
    expect(Object.keys(statuses)).to.have.lengthOf(46)
    expect(server.openSockets()).to.equal(0)
  })
})
