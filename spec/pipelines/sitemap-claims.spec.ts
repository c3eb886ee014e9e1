import { expect } from 'chai'
import type { DbDatum } from '../../lib/record/records.js'
import { dbDatum } from '../support/db-datum.js'
import { allRecords, putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { type SpecServer, startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

const dayMs = 86_400_000
const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10)
const signature = new Uint8Array(16)

describe('What a sitemap says of a page', () => {
  const newFolder = useTempFolders()
  let server: SpecServer
  beforeEach(async () => {
    server = await startServer({
      routes: {
        '/robots.txt': { status: 404 },
        '/sitemap.xml': (_request, response) => {
          const entry = (path: string, says: string): string => `<url><loc>${server.origin()}${path}</loc>${says}</url>`
          const old = dayOf(specTimeMs - 100 * dayMs)
          const entries = [
            entry('/said', `<lastmod>${old}</lastmod><changefreq>monthly</changefreq><priority>1.0</priority>`),
            entry('/least', '<changefreq>always</changefreq><priority>0.0</priority>'),
            entry('/late', `<lastmod>${dayOf(specTimeMs)}</lastmod>`),
            entry('/plain', ''),
          ]
          response.writeHead(200, { 'content-type': 'application/xml' }).end(`<urlset>${entries.join('')}</urlset>`)
        },
      },
    })
  })
  afterEach(() => server.close())

  async function read(folder: string, ...values: string[]): Promise<(path: string) => DbDatum | undefined> {
    const options = ['http.agent.name=testbot', 'fetcher.server.delay=0', ...values].flatMap(value => ['-D', value])
    await runCommand(['sitemap', folder, `${server.origin()}/`, '--allow-address', 'loopback', ...options])
    const records = await allRecords(specJob(folder))
    return path => records.get(`${server.origin()}${path}`)
  }

  it('is the score, interval and modified time of a new record', async () => {
    const record = await read(newFolder())
    const due = { status: 'db_unfetched', fetchTimeMs: specTimeMs }
    expect(record('/said')).to.include({ ...due, score: 1, fetchIntervalS: 2_592_000, modifiedTimeMs: specTimeMs - 100 * dayMs })
    expect(record('/least'), 'a priority of 0 is taken for 0.5').to.include({ ...due, score: 0.5, fetchIntervalS: 60, modifiedTimeMs: 0 })
    expect(record('/plain')).to.include({ ...due, score: 0.5, fetchIntervalS: 2_592_000, modifiedTimeMs: 0 })
  })

  const known = (): DbDatum[] =>
    ['/said', '/least', '/late', '/plain'].map(path =>
      dbDatum({
        url: `${server.origin()}${path}`,
        status: 'db_fetched',
        fetchTimeMs: specTimeMs + dayMs,
        fetchIntervalS: 2 * 86_400, // fetched a day ago
        modifiedTimeMs: specTimeMs - 50 * dayMs,
        score: 7,
        signature,
        metadata: { k: 'v' },
      }),
    )

  it('changes no record that is there', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), known())
    const record = await read(folder)
    for (const datum of known()) expect(record(new URL(datum.url).pathname)).to.deep.include({ ...datum, signature: Buffer.from(signature) })
  })

  it('goes into a record that is there by sitemap.url.overwrite.existing, also where it is the default, and nothing else does', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), known())
    const record = await read(folder, 'sitemap.url.overwrite.existing=true')
    const kept = { status: 'db_fetched', fetchTimeMs: specTimeMs + dayMs, metadata: { k: 'v' } }
    const own = { fetchIntervalS: 2 * 86_400, modifiedTimeMs: specTimeMs - 50 * dayMs }
    expect(record('/said')).to.deep.include({ ...kept, score: 1, fetchIntervalS: 2_592_000, modifiedTimeMs: specTimeMs - 100 * dayMs })
    expect(record('/least')).to.deep.include({ ...kept, ...own, score: 0.5, fetchIntervalS: 60 })
    expect(record('/plain')).to.deep.include({ ...kept, ...own, score: 0.5 })
    expect(record('/late'), 'a change since the last fetch is not of the copy that is known').to.deep.include({ ...kept, ...own, score: 0.5 })
  })
})
