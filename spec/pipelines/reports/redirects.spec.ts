import { expect } from 'chai'
import { describeReport, statusesOf } from '../../support/play-report.js'

const dayMs = 86_400_000
const beginMs = Date.UTC(2026, 0, 31)

describeReport('R015', ['crawl', 'readdb'], play => {
  it('learns each move although its body cannot be read', async () => {
    await play.crawl(['{A}/chunk', '{A}/gzip', '{A}/short'])
    for (const { timing } of play.outcomes().values()) expect(timing.endMs - timing.startMs).to.be.below(3000)
    const records = await play.dump()
    expect(statusesOf(records)).to.deep.equal({
      '{A}/chunk': 'db_redir_temp',
      '{A}/gzip': 'db_redir_perm',
      '{A}/ok': 'db_fetched',
      '{A}/short': 'db_redir_perm',
    })
    for (const { retriesSinceFetch } of records.values()) expect(retriesSinceFetch).to.equal(0)
    expect(
      play
        .server()
        .targets('A')
        .filter(target => target === '/ok'),
    ).to.have.lengthOf(1)
  })
})

describeReport('R016', ['crawl', 'readdb', 'generate'], play => {
  const count = (...targets: readonly string[]): number =>
    play
      .server()
      .targets('A')
      .filter(target => targets.includes(target)).length

  for (const { cookies, nowMs, round } of [
    { cookies: false, nowMs: beginMs, round: 'first' },
    { cookies: true, nowMs: beginMs, round: 'first' },
  ]) {
    it(`ends loops within the limit, with cookies ${cookies ? 'on' : 'off'}`, async () => {
      const limits = ['--now', String(nowMs), '-D', `http.enable.cookie.header=${cookies}`]
      await play.crawl(['{A}/self', '{A}/a'], limits)
      expect(count('/a', '/b', '/c'), round).to.be.within(3, 6)
      expect(count('/self')).to.be.within(1, cookies ? 2 : 6)
      if (cookies) expect(count('/self')).to.equal(2)
      const records = await play.dump()
      expect([...records.keys()].sort()).to.deep.equal(['{A}/a', '{A}/b', '{A}/c', '{A}/self'])
      const statuses = statusesOf(records)
      if (cookies) expect(statuses['{A}/self']).to.equal('db_fetched')
      for (const [url, status] of Object.entries(statuses)) if (!cookies || url !== '{A}/self') expect(status).to.equal('db_redir_temp', url)
      const again = await play.run(['generate', 'crawl', '--now', String(nowMs + 60_000)])
      expect(again.status, again.stdout + again.stderr).to.equal(1)
    })
  }

  it('does the same in a second round a day later', async () => {
    await play.crawl(['{A}/self', '{A}/a'], ['--now', String(beginMs)])
    const before = count('/self', '/a', '/b', '/c')
    await play.crawl([], ['--now', String(beginMs + dayMs)])
    expect(count('/self', '/a', '/b', '/c') - before).to.be.at.most(12)
    expect([...(await play.dump()).keys()].sort()).to.deep.equal(['{A}/a', '{A}/b', '{A}/c', '{A}/self'])
  })
})
