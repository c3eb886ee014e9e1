import { expect } from 'chai'
import { describeReport, statusesOf } from '../../support/play-report.js'

describeReport('R028', ['crawl', 'readdb'], play => {
  it('fetches pages whatever their Content-Type is like, and links of those that are HTML', async () => {
    await play.crawl(['raw', 'png', 'none', 'empty', 'octet', 'weird'].map(path => `{A}/${path}`))
    const statuses = statusesOf(await play.dump())
    const pages = ['empty', 'none', 'octet', 'png', 'raw', 'weird'].map(path => [`{A}/${path}`, 'db_fetched'])
    const links = ['n1', 'n2', 'n3', 'n4'].map(path => [`{A}/${path}`, 'db_unfetched'])
    expect(statuses).to.deep.equal(Object.fromEntries([...pages, ...links]))
  })
})

interface ParsedPage {
  readonly status: string
  readonly text: string
  readonly type: string
  readonly charset: string
  readonly metadata: Readonly<Record<string, string>>
  readonly outlinks: readonly { readonly url: string }[]
}

describeReport('R028', ['parse-page'], play => {
  for (const { path, type, link } of [
    { path: 'raw', type: 'application/x-download', link: undefined },
    { path: 'png', type: 'image/png', link: undefined },
    { path: 'none', type: 'text/html', link: '{A}/n1' },
    { path: 'empty', type: 'text/html', link: '{A}/n2' },
    { path: 'octet', type: 'text/html', link: '{A}/n3' },
    { path: 'weird', type: 'text/html', link: '{A}/n4' },
  ]) {
    it(`takes /${path} for ${type}`, async () => {
      const { fill } = play.server()
      const result = await play.run(['parse-page', '--url', fill(`{A}/${path}`), '--allow-address', 'loopback'])
      expect(result.status, result.stderr).to.equal(0)
      const page = result.records<ParsedPage>()[0]?.value
      expect(page?.type).to.equal(type)
      expect(page?.outlinks.map(({ url }) => url)).to.deep.equal(link === undefined ? [] : [fill(link)])
      if (path === 'weird') expect(page?.charset.toLowerCase()).to.equal('utf-8')
      if (path === 'png') expect(page?.text).to.equal('')
    })
  }
})

describeReport('R032', ['parse-page'], play => {
  it('decodes references in links, and finds none in text or scripts', async () => {
    const { fill } = play.server()
    const result = await play.run(['parse-page', '--url', fill('{A}/d/'), '--allow-address', 'loopback'])
    const expected = [
      '{A}/d/?id=5&view=full',
      '{A}/d/?id=6&view=full',
      '{A}/d/?id=7&view=full',
      '{A}/d/?a=1&copy=2&reg=3',
      '{A}/past/',
      '{A}/q?u=%26amp%3B',
    ]
    expect(result.records<ParsedPage>()[0]?.value.outlinks.map(({ url }) => url)).to.deep.equal(expected.map(fill))
  })
})

describeReport('R032', ['crawl', 'readdb'], play => {
  it('crawls exactly those links', async () => {
    await play.crawl(['{A}/d/'])
    const linked = [
      '{A}/d/?a=1&copy=2&reg=3',
      '{A}/d/?id=5&view=full',
      '{A}/d/?id=6&view=full',
      '{A}/d/?id=7&view=full',
      '{A}/past/',
      '{A}/q?u=%26amp%3B',
    ]
    expect(statusesOf(await play.dump())).to.deep.equal({ '{A}/d/': 'db_fetched', ...Object.fromEntries(linked.map(url => [url, 'db_unfetched'])) })
  })
})

describeReport('R059', ['crawl', 'readdb'], play => {
  it('cuts bombs while they unpack, of pages and of robots.txt', async () => {
    await play.crawl(['{A}/br', '{A}/gz2', '{A}/deflate', '{A}/ok', '{B}/x'])
    const statuses = statusesOf(await play.dump())
    expect(statuses['{A}/ok']).to.equal('db_fetched')
    expect(Object.keys(statuses)).to.deep.equal(['{A}/br', '{A}/deflate', '{A}/gz2', '{A}/ok', '{B}/x'])
    const outcomes = play.outcomes()
    for (const path of ['br', 'gz2', 'deflate']) {
      expect(statuses[`{A}/${path}`]).to.equal('db_fetched')
      const { truncated, contentLengthBytes, timing } = outcomes.get(`{A}/${path}`) ?? {}
      expect({ truncated, contentLengthBytes }, path).to.deep.equal({ truncated: 'length', contentLengthBytes: 1_048_576 })
      expect((timing?.endMs ?? 0) - (timing?.startMs ?? 0), path).to.be.below(1000)
    }
    expect(statuses['{B}/x']).to.be.oneOf(['db_fetched', 'db_gone', 'db_unfetched'])
  })
})
