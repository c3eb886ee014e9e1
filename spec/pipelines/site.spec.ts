import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type DemoSite, startDemoSite } from '../../pipelines/demo-site.js'
import { type CliResult, runCli } from '../support/cli.js'
import { projectRoot } from '../support/paths.js'
import { useTempFolders } from '../support/temp-folder.js'

/** `fixtures/site/expected.json`: what the state table of Nutch makes of the site, by hand. */
interface Expected {
  readonly urls: readonly { readonly url: string; readonly status?: string; readonly later?: string; readonly why: string }[]
}
interface DbRow {
  readonly url: string
  readonly statusName: string
  readonly retriesSinceFetch: number
}

const { urls } = JSON.parse(readFileSync(join(projectRoot, 'fixtures/site/expected.json'), 'utf8')) as Expected
const beginMs = Date.UTC(2026, 0, 31, 12)
const dayMs = 86_400_000

describe('a crawl of the demo site', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let site: DemoSite
  let folder: string
  let first: CliResult
  let second: CliResult
  let firstRequests: readonly string[]
  const rows = { first: [] as DbRow[], second: [] as DbRow[] }

  async function crawl(nowMs: number, limits: readonly string[] = ['--rounds', '15']): Promise<CliResult> {
    const rules = join(folder, 'accept-all.txt')
    writeFileSync(rules, '+.\n')
    const options = ['fetcher.server.delay=0.01', 'http.timeout=1000', 'http.redirect.max=0', 'http.agent.name=testbot'].flatMap(pair => ['-D', pair])
    const fixed = ['--rules', rules, '--allow-address', 'loopback', '--now', String(nowMs)]
    return runCli(['crawl', join(folder, 'crawl'), ...site.seeds, ...limits, ...fixed, ...options])
  }

  async function readRows(): Promise<DbRow[]> {
    const dump = await runCli(['readdb', join(folder, 'crawl'), '--dump', '--format', 'json'])
    expect(dump.status, dump.stderr).to.equal(0)
    return dump.json<DbRow>()
  }

  before(async () => {
    site = await startDemoSite()
    folder = newFolder()
    first = await crawl(beginMs)
    firstRequests = site.requests.map(({ url }) => url)
    rows.first = await readRows()
    second = await crawl(beginMs + 31 * dayMs)
    rows.second = await readRows()
  })
  after(() => site.close())

  it('ends with 0 and one line of totals', () => {
    expect(first.status, first.stderr).to.equal(0)
    const totals = JSON.parse(first.lines().at(-1) ?? '') as { urls: number; fetched: number; elapsedMs: number; counts: Record<string, number> }
    expect(totals.urls).to.equal(urls.filter(({ status }) => status !== undefined).length)
    expect(totals.fetched).to.equal(urls.filter(({ status }) => status === 'db_fetched').length)
    expect(totals.elapsedMs).to.be.within(1, first.elapsedMs)
    expect(totals.counts['fetch/items'], 'one outcome for each URL of the lists').to.equal(totals.counts['generate/selected'])
  })

  it('gives every URL the status that was worked out by hand, and holds no other', () => {
    expect(shownRows(rows.first)).to.deep.equal(shownExpectation('status'))
  })

  it('gives the later statuses when run again 31 days on', () => {
    expect(second.status, second.stderr).to.equal(0)
    const certain = new Set(urls.filter(({ later }) => later !== undefined).map(({ url }) => site.fill(url)))
    const known = new Set(urls.map(({ url }) => site.fill(url)))
    expect(rows.second.map(({ url }) => url).filter(url => !known.has(url))).to.deep.equal([])
    expect(shownRows(rows.second.filter(({ url }) => certain.has(url)))).to.deep.equal(shownExpectation('later'))
  })

  it('asked for each page once, for robots.txt of each host once, and for nothing that is forbidden', () => {
    const counts = new Map<string, number>()
    for (const url of firstRequests) counts.set(url, (counts.get(url) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 1)).to.deep.equal([])
    const robots = ['mill', 'river', 'dam', 'race', 'attic'].map(name => `${site.origin(name)}/robots.txt`)
    expect([...counts.keys()].filter(url => url.endsWith('/robots.txt'))).to.have.members(robots)
    const forbidden = firstRequests.filter(
      url => /\/(private\/(?!open)|never\/|notes\.bak$)/.test(url) || url.startsWith(`${site.origin('dam')}/gate`),
    )
    expect(forbidden).to.deep.equal([])
    expect(firstRequests.filter(url => url.startsWith(`${site.origin('attic')}/`))).to.deep.equal([`${site.origin('attic')}/robots.txt`])
  })

  it('kept the Crawl-delay of the mill race', () => {
    const times = site.requests
      .slice(0, firstRequests.length)
      .filter(({ url }) => url.startsWith(site.origin('race')))
      .map(({ startMs }) => startMs)
    expect(times).to.have.lengthOf(4)
    for (const [index, timeMs] of times.entries()) if (index > 1) expect(timeMs - (times[index - 1] ?? 0)).to.be.at.least(300)
  })

  it('asked conditionally the second time', () => {
    const asked = site.requests.filter(({ url }) => url === site.fill('{mill}/etag.html')).map(({ headers }) => headers['if-none-match'])
    expect(asked).to.deep.equal([undefined, '"wheel-1"'])
  })

  it('gives the same when it is crawled continuously', async () => {
    await site.close()
    site = await startDemoSite() // some of its pages answer the second time otherwise than the first
    folder = newFolder()
    const run = await crawl(beginMs, ['--until-idle'])
    expect(run.status, run.stderr).to.equal(0)
    expect(shownRows(await readRows())).to.deep.equal(shownExpectation('status'))
  })

  function shownRows(from: readonly DbRow[]): string[] {
    return from.map(({ url, statusName }) => `${url} ${statusName}`).sort()
  }

  function shownExpectation(column: 'status' | 'later'): string[] {
    return urls.flatMap(row => (row[column] === undefined ? [] : [`${site.fill(row.url)} ${row[column]}`])).sort()
  }
})
