import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { readDemoSiteTable } from '../../pipelines/demo-pages.js'
import { type DemoSite, startDemoSite } from '../../pipelines/demo-site.js'
import { projectRoot } from '../support/paths.js'

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

function ask(url: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, response => {
      let body = ''
      response.setEncoding('latin1').on('data', text => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
      .on('error', reject)
      .end()
  })
}

describe('demo site', () => {
  let site: DemoSite
  before(async () => {
    site = await startDemoSite()
  })
  after(() => site.close())

  it('serves at least 40 pages on five hosts, and the hand-written expectation names every one that can be reached', () => {
    const { pages } = readDemoSiteTable()
    const expected = JSON.parse(readFileSync(join(projectRoot, 'fixtures/site/expected.json'), 'utf8')) as { urls: { url: string }[] }
    const listed = expected.urls.map(({ url }) => url)
    const unreachable = pages.map(({ url }) => url).filter(url => !listed.includes(url) && !url.endsWith('/robots.txt'))
    expect(pages.length).to.be.above(40)
    expect(site.hosts).to.deep.equal(['mill', 'river', 'dam', 'race', 'attic'])
    expect(new Set(listed).size).to.equal(listed.length)
    expect(unreachable).to.deep.equal(['{mill}/never/rel.html', '{river}/unlinked.html'])
  })

  for (const { url, status, header, value } of [
    { url: '{mill}/', status: 200, header: 'content-type', value: 'text/html; charset=utf-8' },
    { url: '{mill}/moved-308', status: 308, header: 'location', value: '//127.0.0.2:{port}/landed/308' },
    { url: '{mill}/moved-away', status: 302, header: 'location', value: '{river}/from-the-mill' },
    { url: '{mill}/moved-nowhere', status: 301, header: 'location', value: undefined },
    { url: '{mill}/missing.html', status: 404, header: 'etag', value: undefined },
    { url: '{mill}/no-content', status: 204, header: 'content-length', value: undefined },
    { url: '{mill}/chunked.html', status: 200, header: 'transfer-encoding', value: 'chunked' },
    { url: '{mill}/br.html', status: 200, header: 'content-encoding', value: 'br' },
    { url: '{mill}/etag.html', status: 200, header: 'etag', value: '"wheel-1"' },
    { url: '{river}/about.html', status: 404, header: 'location', value: undefined },
    { url: '{dam}/robots.txt', status: 500, header: 'location', value: undefined },
  ]) {
    it(`${url} answers ${status}`, async () => {
      const reply = await ask(site.fill(url))
      expect(reply.status).to.equal(status)
      expect(reply.headers[header]).to.equal(value === undefined ? undefined : site.fill(value))
    })
  }

  it('goes on from one answer to the next', async () => {
    const statuses = []
    for (let nth = 1; nth <= 3; nth++) statuses.push((await ask(site.fill('{river}/busy'))).status)
    expect(statuses).to.deep.equal([503, 200, 200])
  })

  it('answers 304 to the ETag, and sends Latin-1 where it says so', async () => {
    expect(await ask(site.fill('{mill}/etag.html'), { 'if-none-match': '"wheel-1"' })).to.include({ status: 304, body: '' })
    expect((await ask(site.fill('{mill}/latin1.html'))).body).to.include('/m\u00fchle.html')
  })

  it('never ends the page that never ends, and leaves nothing open when it is left', async () => {
    const own = await startDemoSite({ hosts: ['mill'] })
    const seenBytes = await new Promise<number>((resolve, reject) => {
      const sent = request(own.fill('{mill}/endless.html'), { agent: false }, response => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > 3_000_000) sent.destroy()
        })
        response.on('close', () => resolve(bytes)).on('error', () => undefined)
      })
      sent.on('error', reject).end()
    })
    expect(seenBytes).to.be.above(3_000_000)
    expect(own.requests.map(({ url }) => url)).to.deep.equal([own.fill('{mill}/endless.html')])
    await own.close()
  })

  it('refuses a host that it does not have', () => {
    expect(() => site.origin('ocean')).to.throw(RangeError, 'no host ocean')
  })
})
