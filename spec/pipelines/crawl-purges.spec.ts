import { expect } from 'chai'
import { ManualClock } from '../../lib/log/clock.js'
import { dbDatum } from '../support/db-datum.js'
import { putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { type Route, startServer } from '../support/server.js'
import { acceptAll, jsonLinesOf, useSmallSite } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

const dayMs = 86_400_000

describe('a crawl that marks orphans', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()

  it('keeps what only an unchanged page links to: it asks for that page in full, for a 304 has no links', async () => {
    const home: Route = (request, response) => {
      const isKnown = request.headers['if-none-match'] === '"home"'
      response.writeHead(isKnown ? 304 : 200, { 'content-type': 'text/html', etag: '"home"' }).end(isKnown ? undefined : '<a href="/child">c</a>')
    }
    const server = await startServer({ routes: { '/robots.txt': { status: 404 }, '/child': { body: 'child' }, '/': home } })
    try {
      const folder = newFolder()
      const args = ['--rounds', '2', '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll]
      const orphans = ['-D', 'scoring.filter.order=opic,orphan', '-D', 'db.update.purge.orphans=true']
      for (const days of [0, 31, 62, 93])
        await runCommand(['crawl', folder, `${server.origin()}/`, ...args, ...orphans], { clock: new ManualClock(specTimeMs + days * dayMs) })
      const found = jsonLinesOf(await runCommand(['readdb', folder, '--dump', '--format', 'json'])).map(({ statusName }) => statusName)
      expect(found).to.deep.equal(['db_notmodified', 'db_notmodified'])
    } finally {
      await server.close()
    }
  })
})

// Nutch's crawl script runs updatedb, which purges; here the crawl merged without a look at what it did not touch.
describe('a crawl whose options ask for a purge', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  const site = useSmallSite()
  const waiting = { fetchTimeMs: specTimeMs + 20 * dayMs }
  const unseenFor = (days: number) => ({ _orphan_: String((specTimeMs - days * dayMs) / 1000) })
  const records = [
    dbDatum({ ...waiting, url: 'http://a.example/gone', status: 'db_gone' }),
    dbDatum({ ...waiting, url: 'http://a.example/orphan', status: 'db_orphan' }),
    dbDatum({ ...waiting, url: 'http://a.example/unseen', status: 'db_fetched', metadata: unseenFor(41) }),
  ]

  async function left(...args: string[]): Promise<string[]> {
    const folder = newFolder()
    await putRecords(specJob(folder), records)
    const fetching = ['--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll]
    expect((await runCommand(['crawl', folder, `${site.server.origin()}/near`, ...args, ...fetching])).status).to.equal(0)
    expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
    const found = jsonLinesOf(await runCommand(['readdb', folder, '--dump', '--format', 'json'])).map(
      ({ url, statusName }) => [String(url), statusName] as const,
    )
    return found.filter(([url]) => url.startsWith('http://a.example/')).map(([url, status]) => `${url.slice('http://a.example/'.length)} ${status}`)
  }

  for (const limits of [['--rounds', '1'], ['--until-idle']]) {
    it(`${limits.join(' ')} deletes what is gone, on demand`, async () => {
      expect(await left(...limits)).to.deep.equal(['gone db_gone', 'orphan db_orphan', 'unseen db_fetched'])
      expect(await left(...limits, '-D', 'db.update.purge.404=true')).to.deep.equal(['orphan db_orphan', 'unseen db_fetched'])
    })

    it(`${limits.join(' ')} marks and deletes orphans, on demand`, async () => {
      const orphans = ['-D', 'scoring.filter.order=opic,orphan']
      expect(await left(...limits, ...orphans)).to.deep.equal(['gone db_gone', 'orphan db_orphan', 'unseen db_orphan'])
      expect(await left(...limits, ...orphans, '-D', 'db.update.purge.orphans=true')).to.deep.equal(['gone db_gone'])
    })
  }
})
