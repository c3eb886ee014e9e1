import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ManualClock } from '../../../lib/log/clock.js'
import { runCommand } from '../../support/run-command.js'
import { useTempFolders } from '../../support/temp-folder.js'
import { crawledSegment, type SpecPage } from './crawled-segment.js'

const dayOf = (day: number): number => Date.UTC(2026, 0, day)
const page = (url: string, more: Partial<SpecPage> = {}): SpecPage => ({ url, body: `page ${url}`, links: [], ...more })
const [one, two, three] = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'] as const

describe('expire', () => {
  const newFolder = useTempFolders()
  const clock = new ManualClock(dayOf(31))

  /** A crawl whose segments of these days were merged into its db. */
  async function crawlOf(days: Readonly<Record<number, readonly SpecPage[]>>): Promise<string> {
    const crawl = newFolder()
    for (const [day, pages] of Object.entries(days)) await crawledSegment(crawl, pages, dayOf(Number(day)))
    await runCommand(['inject', crawl, '-'], { stdin: `${one}\n`, clock })
    await runCommand(['updatedb', crawl], { clock })
    return crawl
  }

  const daysLeft = (crawl: string): number[] =>
    readdirSync(join(crawl, 'segments'))
      .sort()
      .map(name => Number(name.slice(6, 8)))

  it('removes what is old and has newer copies, and says why the rest stays', async () => {
    const crawl = await crawlOf({ 1: [page(one), page(two)], 2: [page(one), page(three)], 3: [page(two)], 25: [page(one)] })
    const { stdout, status } = await runCommand(['expire', crawl, '--keep', '10d'], { clock })
    const verdicts = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { action: string; reason: string; newestCopies: number })
    expect(verdicts.map(({ action, reason, newestCopies }) => [action, reason, newestCopies])).to.deep.equal([
      ['expired', 'old', 0],
      ['kept', 'newest_copy', 1],
      ['kept', 'newest_copy', 1],
      ['kept', 'too_young', 1],
    ])
    expect(status).to.equal(0)
    expect(daysLeft(crawl)).to.deep.equal([2, 3, 25])
  })

  it('takes neither a revisit nor an answer that says not modified for a copy', async () => {
    const revisit = page(one, { encode: { revisitOf: { url: one, dateMs: dayOf(1) } } })
    const notModified = page(one, { body: '', outcome: { status: 'fetch_notmodified', protocolStatus: 'notmodified', httpStatus: 304 } })
    const crawl = await crawlOf({ 1: [page(one)], 2: [revisit], 3: [notModified] })
    await runCommand(['expire', crawl, '--keep', '10d'], { clock })
    expect(daysLeft(crawl)).to.deep.equal([1])
  })

  it('removes also the newest copies when asked, but nothing that the dbs have not taken in', async () => {
    const crawl = await crawlOf({ 1: [page(one)], 2: [page(two)] })
    await crawledSegment(crawl, [page(three)], dayOf(3))
    await runCommand(['expire', crawl, '--keep', '10d', '--force'], { clock })
    expect(daysLeft(crawl)).to.deep.equal([3])
  })

  it('keeps a segment whose links the LinkDb has not taken in', async () => {
    const crawl = await crawlOf({ 1: [page(one)], 2: [page(two)] })
    await runCommand(['invertlinks', crawl, '20260101000000'], { clock })
    await runCommand(['expire', crawl, '--keep', '10d', '--force'], { clock })
    expect(daysLeft(crawl)).to.deep.equal([2])
  })

  it('only says what it would do, if that is wanted', async () => {
    const crawl = await crawlOf({ 1: [page(one)], 2: [page(one)] })
    const { stdout } = await runCommand(['expire', crawl, '--keep', '10d', '--dry-run'], { clock })
    expect(stdout).to.include('"action":"expired"')
    expect(daysLeft(crawl)).to.deep.equal([1, 2])
  })

  it('finishes a removal that was killed, and exits 1 when nothing expires', async () => {
    const crawl = await crawlOf({ 30: [page(one)] })
    mkdirSync(join(crawl, 'segments', '.expired-20250101000000'))
    expect((await runCommand(['expire', crawl, '--keep', '10d'], { clock })).status).to.equal(1)
    expect(readdirSync(join(crawl, 'segments'))).to.deep.equal(['20260130000000'])
  })
})
