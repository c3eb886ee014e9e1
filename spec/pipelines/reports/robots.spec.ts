import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeReport, statusesOf } from '../../support/play-report.js'

describeReport('R007', ['crawl', 'readdb'], play => {
  it('reads a robots.txt with a byte order mark, and one whose lines end with CR', async () => {
    await play.crawl(['{A}/x', '{B}/x'])
    expect(play.server().targets('A')).to.deep.equal(['/robots.txt'])
    expect(play.server().targets('B')).to.deep.equal(['/robots.txt'])
    const records = await play.dump()
    expect(statusesOf(records)).to.deep.equal({ '{A}/x': 'db_gone', '{B}/x': 'db_gone' })
    for (const { metadata, retriesSinceFetch } of records.values()) {
      expect(metadata._pst_).to.match(/^robots_denied\(18\)/)
      expect(retriesSinceFetch).to.equal(0)
    }
  })
})

const verdicts = {
  A: {
    allowed: ['/a/b', '/starXend', '/s/'],
    denied: ['/a%2fb', '/star*end', '/star%2aend', '/foo%20bar', '/?s=1', '/caf%C3%A9', '/caf%c3%a9/x'],
  },
  B: { allowed: ['/1/filter/page=5/'], denied: ['/1/filter/page=5/x', '/'] },
} as const

describeReport('R008', ['robots'], play => {
  for (const letter of ['A', 'B'] as const) {
    it(`says which paths of ${letter} are allowed, and why`, async () => {
      const text = play.report.server?.find(({ path, host }) => path === '/robots.txt' && host === letter)?.body ?? ''
      writeFileSync(join(play.folder(), 'robots.txt'), text)
      const { allowed, denied } = verdicts[letter]
      const urls = [...allowed, ...denied].map(path => `http://h.example${path}`)
      const result = await play.run(['robots', '--file', 'robots.txt', '--agent', 'testbot', ...urls])
      expect(result.status, result.stderr).to.be.oneOf([0, 1])
      const records = result.records<{ allowed: boolean; line: number | null }>()
      expect(records.map(({ value }) => value.allowed)).to.deep.equal([...allowed.map(() => true), ...denied.map(() => false)])
      for (const { value } of records) if (!value.allowed) expect(value.line).to.be.within(2, 6)
    })
  }
})

describeReport('R008', ['crawl'], play => {
  it('asks for the allowed paths only', async () => {
    const { allowed, denied } = verdicts.A
    await play.crawl([...allowed, ...denied].map(path => `{A}${path}`))
    expect(play.server().targets('A')).to.have.members(['/robots.txt', ...allowed])
  })
})
