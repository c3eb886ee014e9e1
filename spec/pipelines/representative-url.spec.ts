import { expect } from 'chai'
import { systemClock } from '../../lib/log/clock.js'
import { runCommand } from '../support/run-command.js'
import { type Route, type SpecServer, startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

interface Dumped {
  readonly url: string
  readonly metadata: Readonly<Record<string, string>>
}

describe('The URL that represents source and target of a redirect', () => {
  const newFolder = useTempFolders()
  let server: SpecServer
  beforeEach(async () => {
    const to = (location: string, status: number): Route => ({ status, headers: { location } })
    const refresh = (seconds: number): Route => ({ body: `<meta http-equiv=refresh content="${seconds}; url=/late/page"><p>soon` })
    server = await startServer({
      routes: {
        '/robots.txt': { status: 404 },
        '/t': to('/t/page', 302),
        '/t/page': { body: 'text of a page' },
        '/p': to('/p/page', 301),
        '/p/page': { body: 'text of another page' },
        '/s': to('/mill', 302),
        '/mill': to('/mill/page', 301),
        '/mill/page': { body: 'text of a third page' },
        '/soon': refresh(4),
        '/slow': refresh(5),
        '/late/page': { body: 'text of a late page' },
      },
    })
  })
  afterEach(() => server.close())

  const crawl = async (folder: string, seed: string, values: readonly string[], rounds = 1): Promise<ReadonlyMap<string, string | undefined>> => {
    const options = ['fetcher.server.delay=0', 'http.agent.name=testbot', 'millrace.workers=0', ...values].flatMap(value => ['-D', value])
    const more = ['--rounds', String(rounds), '--allow-address', 'loopback', ...options]
    await runCommand(['crawl', folder, `${server.origin()}${seed}`, ...more], { clock: systemClock })
    const { stdout } = await runCommand(['readdb', folder, '--dump', '--format', 'json'])
    const records = stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Dumped])) // Nutch's keys
    return new Map(records.map(({ url, metadata }) => [url.slice(server.origin().length), metadata._repr_?.slice(server.origin().length)]))
  }

  it('goes with a target that is left to a later round, up to the index', async () => {
    const folder = newFolder()
    expect((await crawl(folder, '/t', ['http.redirect.max=0'])).get('/t/page')).to.equal('/t')
    expect((await crawl(folder, '/t', ['http.redirect.max=0'])).get('/t/page')).to.equal('/t')
    const { stdout } = await runCommand(['index', folder])
    expect(JSON.parse(stdout)).to.include({ id: `${server.origin()}/t/page`, url: `${server.origin()}/t` })
  })

  it('goes with the target behind the last redirect that is followed', async () => {
    expect((await crawl(newFolder(), '/s', ['http.redirect.max=1'])).get('/mill/page')).to.equal(undefined)
    expect((await crawl(newFolder(), '/s', ['http.redirect.max=1'])).get('/mill')).to.equal('/s')
  })

  it('is not named where it is the target', async () => {
    expect((await crawl(newFolder(), '/p', ['http.redirect.max=0'])).get('/p/page')).to.equal(undefined)
  })

  for (const max of [0, 1])
    it(`is that of this redirect, not of one before it, where the source had one already (http.redirect.max=${max})`, async () => {
      const folder = newFolder()
      const first = await crawl(folder, '/s', ['http.redirect.max=0'])
      expect(first.get('/mill')).to.equal('/s')
      expect((await crawl(folder, '/s', [`http.redirect.max=${max}`])).get('/mill/page')).to.equal(undefined)
    })

  it('of a refresh is chosen as of a temporary redirect below 5 s only', async () => {
    expect((await crawl(newFolder(), '/soon', [])).get('/late/page')).to.equal('/soon')
    expect((await crawl(newFolder(), '/slow', [])).get('/late/page')).to.equal(undefined)
  })
})
