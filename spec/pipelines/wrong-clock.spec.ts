import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { type RunningCli, startCli } from '../support/cli.js'
import { crawlOptions } from '../support/crawled-folder.js'
import { dbDatum } from '../support/db-datum.js'
import { putRecords, specJob } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { type SpecServer, startServer } from '../support/server.js'
import { acceptAll, linesOf } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

const dayMs = 86_400_000

/** A module that lets the longest sleep of an idle crawl pass at once. */
const shortSleeps = `data:text/javascript,${encodeURIComponent(
  'const later = setTimeout; globalThis.setTimeout = (act, ms, ...rest) => later(act, ms === 60000 ? 100 : ms, ...rest)',
)}`

describe('a crawl whose clock was wrong once', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let server: SpecServer
  let running: RunningCli | undefined
  before(async () => {
    server = await startServer({ routes: { '/robots.txt': { status: 404 }, '/p*': { body: 'text' } } })
  })
  after(() => {
    running?.kill()
    return server.close()
  })

  /** A page that was fetched in 2099, as its record says: due a month later. */
  async function folderFrom2099(): Promise<string> {
    const folder = newFolder()
    const fetchedMs = Date.UTC(2099, 0, 1)
    const datum = { url: `${server.origin()}/p2099`, status: 'db_fetched' as const, fetchTimeMs: fetchedMs + 30 * dayMs, modifiedTimeMs: fetchedMs }
    await putRecords(specJob(folder), [dbDatum(datum)])
    return folder
  }

  for (const limits of [['--rounds', '1'], ['--until-idle']]) {
    it(`fetches with ${limits.join(' ')} what that put off for longer than any page may wait`, async () => {
      const args = ['--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll]
      const run = await runCommand(['crawl', await folderFrom2099(), ...limits, ...args])
      expect(run.json()).to.include({ fetched: 1 })
    })
  }

  it('plans the same', async () => {
    const [all = ''] = linesOf(await runCommand(['generate', await folderFrom2099(), '--plan', ...acceptAll]))
    expect(JSON.parse(all.split('\t')[1] ?? '')).to.include({ items: 1 })
  })

  it('fetches again with --forever what becomes due while the clock is behind the time that it showed before', async () => {
    const folder = newFolder()
    const options = crawlOptions(folder, ['fetcher.server.delay=0', 'db.fetch.interval.default=1'])
    const crawl = join(folder, 'crawl')
    const tomorrow = new Date(Date.now() + dayMs).toISOString()
    expect(
      (
        await runCommand(['inject', crawl, '-', ...acceptAll], {
          stdin: `${server.origin()}/ptomorrow\n`,
          clock: { nowMs: () => Date.parse(tomorrow) },
        })
      ).status,
    ).to.equal(0)
    const asked = (): number => server.requests.filter(({ target }) => target === '/pagain').length
    running = startCli(['crawl', crawl, `${server.origin()}/pagain`, '--forever', ...options], { nodeArgs: ['--import', shortSleeps] })
    while (asked() < 3) await turn()
    running.kill('SIGTERM')
    const { status, stderr } = await running.result
    expect(status, stderr).to.equal(0)
    expect(server.requests.some(({ target }) => target === '/ptomorrow')).to.equal(false)
  })
})
