import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startMillrace } from '../bench/measured-child.js'
import { totalsOf } from '../bench/measures/crawl-site.js'
import { useOf } from '../bench/proc.js'
import { frontPath, startEndlessServer } from '../bench/servers/endless-plan.js'
import { loopbackHosts } from '../bench/servers/loopback.js'
import { withTempFolder } from '../support/temp-folder.js'

const hosts = loopbackHosts(41, 100)
/** The sizes of the two crawls, one ten times the other, unless MILLRACE_MEMORY_PAGES names the larger one. */
const many = Number(process.env.MILLRACE_MEMORY_PAGES ?? 500_000)
const few = many / 10
const lookEveryMs = 100

describe('peak memory of a crawl', () => {
  it(`of ${many} pages is that of one of ${few} within 10 %, and under 512 MB`, async () => {
    const [short, long] = [await peaksOf(few), await peaksOf(many)]
    const title = `${few} pages: ${textOf(short)}; ${many} pages: ${textOf(long)}`
    process.stderr.write(`    ${title}\n`)
    expect(long.residentMB, title).to.be.below(512)
    expect(long.residentMB / short.residentMB, title).to.be.below(1.1)
  })
})

interface Peaks {
  readonly residentMB: number
  /** Without the tables of the CrawlDb, of which more are mapped the larger it is. */
  readonly ownMB: number
}

function textOf({ residentMB, ownMB }: Peaks): string {
  return `${residentMB.toFixed(0)} MB resident, ${ownMB.toFixed(0)} MB without mapped files`
}

/** Crawls so many tiny pages of a site without an end, with default options but for the delay. */
async function peaksOf(pages: number): Promise<Peaks> {
  const server = await startEndlessServer({ hosts, fronts: 1, pageBytes: 200, crawlDelaysS: [] })
  try {
    return await withTempFolder(async folder => {
      const rules = join(folder, 'rules.txt')
      writeFileSync(rules, '+.\n')
      const seeds = hosts.map(host => `http://${host}:${server.port}${frontPath(0)}`)
      const limits = ['--max-pages', `${pages}`, '--rules', rules, '--allow-address', 'loopback', '--quiet']
      const speed = ['-D', 'fetcher.server.delay=0', '-D', 'fetcher.threads.per.queue=4']
      const crawl = startMillrace(['crawl', join(folder, 'crawl'), ...seeds, ...limits, ...speed])
      let ownBytes = 0
      const timer = setInterval(() => {
        ownBytes = Math.max(ownBytes, useOf(crawl.pid ?? 0).ownBytes ?? 0)
      }, lookEveryMs)
      const { stdout, peakBytes = Number.NaN } = await crawl.result.finally(() => clearInterval(timer))
      expect(totalsOf(stdout).fetched).to.equal(pages)
      return { residentMB: peakBytes / 1_000_000, ownMB: ownBytes / 1_000_000 }
    })
  } finally {
    await server.close()
  }
}
