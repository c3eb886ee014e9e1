import { join } from 'node:path'
import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { Segment } from '../../lib/segment/segment.js'
import { invertInto } from '../../pipelines/invertlinks.js'
import { fetchTimeMs } from '../segment/segment-fixtures.js'
import { crawlOptions } from '../support/crawled-folder.js'
import { specJob } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { startServer } from '../support/server.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'
import { crawledSegment } from './segments/crawled-segment.js'

const inlinks = async (crawl: string, url: string) => (await runCommand(['readlinkdb', crawl, '--url', url])).stdout

describe('invertlinks', () => {
  const newFolder = useTempFolders()
  const { db } = configWith()

  /** Three segments, each with one page that links to b.test. */
  async function crawlOfThree(): Promise<{ readonly crawl: string; readonly names: readonly string[] }> {
    const crawl = newFolder()
    const names: string[] = []
    for (const [day, url] of ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'].entries()) {
      const { name } = await crawledSegment(crawl, [{ url, body: 'text', links: ['http://b.test/'] }], fetchTimeMs + day * 86_400_000)
      names.push(name)
    }
    return { crawl, names }
  }

  it('that was cut off is finished first, whatever segments have come since', async () => {
    const { crawl, names } = await crawlOfThree()
    const [first = ''] = names
    await withLinkDb({ folder: crawl, config: db, isCreating: true }, async linkDb => {
      linkDb.ledger.endChanges = () => {
        throw new Error('killed')
      }
      const segments = [await Segment.open(join(crawl, 'segments', first))]
      expect(await failureOf(invertInto(linkDb, { context: specJob(crawl), segments }))).to.match(/killed/)
      expect((await linkDb.ledger.pending())?.inputs.map(({ name }) => name)).to.deep.equal([first])
    })
    const { applied, skipped } = (await runCommand(['invertlinks', crawl])).json<{ applied: string[]; skipped: string[] }>()
    expect({ applied, skipped }).to.deep.equal({ applied: names, skipped: [] })
    expect((await inlinks(crawl, 'http://b.test/')).match(/a\.test\/\d/g)).to.have.members(['a.test/1', 'a.test/2', 'a.test/3'])
  })

  it('leaves what somebody else keeps from it for later: the crawl ends well, and says so', async () => {
    const server = await startServer({
      routes: {
        '/': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>home</title><a href="http://b.test/">b</a>'),
      },
    })
    try {
      const crawl = newFolder()
      const run = () =>
        withLinkDb({ folder: crawl, config: db, isCreating: true }, () =>
          runCommand(['crawl', crawl, server.origin(), '--max-pages', '1', ...crawlOptions(newFolder())]),
        )
      const { status, log } = await run()
      expect(status).to.equal(0)
      expect(log.filter(line => line.includes('the LinkDb is in use'))).to.have.lengthOf(2)
      expect(await inlinks(crawl, 'http://b.test/')).to.not.include(server.origin())
      expect((await runCommand(['invertlinks', crawl])).json<{ applied: string[] }>().applied).to.have.lengthOf(1)
      expect(await inlinks(crawl, 'http://b.test/')).to.include(server.origin())
    } finally {
      await server.close()
    }
  })
})
