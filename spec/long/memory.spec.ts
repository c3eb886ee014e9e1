import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMillrace } from '../bench/measured-child.js'
import { totalsOf } from '../bench/measures/crawl-site.js'
import { frontPath, startEndlessServer } from '../bench/servers/endless-plan.js'
import { loopbackHosts } from '../bench/servers/loopback.js'
import { withTempFolder } from '../support/temp-folder.js'

const hosts = loopbackHosts(41, 100)
/** The sizes of the two crawls, one ten times the other. */
const [few, many] = [50_000, 500_000]

describe('peak memory of a crawl', () => {
  it(`of ${many} pages is that of one of ${few} within 10 %, and under 512 MB`, async () => {
    const [short, long] = [await peakMB(few), await peakMB(many)]
    const title = `${few} pages: ${short.toFixed(0)} MB, ${many} pages: ${long.toFixed(0)} MB`
    process.stderr.write(`    ${title}\n`)
    expect(long, title).to.be.below(512)
    expect(long / short, title).to.be.below(1.1)
  })
})

/** Crawls so many tiny pages of a site without an end, with default options but for the delay. */
async function peakMB(pages: number): Promise<number> {
  const server = await startEndlessServer({ hosts, fronts: 1, pageBytes: 200, crawlDelaysS: [] })
  try {
    return await withTempFolder(async folder => {
      const rules = join(folder, 'rules.txt')
      writeFileSync(rules, '+.\n')
      const seeds = hosts.map(host => `http://${host}:${server.port}${frontPath(0)}`)
      const limits = ['--max-pages', `${pages}`, '--rules', rules, '--allow-address', 'loopback', '--quiet']
      const speed = ['-D', 'fetcher.server.delay=0', '-D', 'fetcher.threads.per.queue=4']
      const { stdout, peakBytes = Number.NaN } = await runMillrace(['crawl', join(folder, 'crawl'), ...seeds, ...limits, ...speed])
      expect(totalsOf(stdout).fetched).to.equal(pages)
      return peakBytes / 1_000_000
    })
  } finally {
    await server.close()
  }
}
