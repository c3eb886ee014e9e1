import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { listSegments, type Segment } from '../../../lib/segment/segment.js'
import { checkWarc } from '../../../lib/warc/check-warc.js'
import { ContentReader } from '../../../lib/warc/content-reader.js'
import { collect, fetchTimeMs } from '../../segment/segment-fixtures.js'
import { runCommand } from '../../support/run-command.js'
import { useTempFolders } from '../../support/temp-folder.js'
import { crawledSegment, type SpecPage } from './crawled-segment.js'

const day = 86_400_000
const older: readonly SpecPage[] = [
  { url: 'http://a.test/1', body: 'one, old', links: ['http://a.test/2', 'http://x.test/old'] },
  { url: 'http://a.test/2', body: 'two', links: [] },
  { url: 'http://b.test/3', body: 'three', links: ['http://a.test/1'] },
]
const newer: readonly SpecPage[] = [
  { url: 'http://a.test/1', body: 'one, new', links: ['http://x.test/new'] },
  { url: 'http://a.test/2', body: '', outcome: { status: 'fetch_notmodified', protocolStatus: 'notmodified', httpStatus: 304 } },
  { url: 'http://b.test/3', body: '', outcome: { status: 'fetch_retry', protocolStatus: 'exception', httpStatus: 503 } },
  { url: 'http://c.test/4', body: 'four', links: [] },
]

async function textsOf(segment: Segment): Promise<Record<string, string>> {
  const reader = new ContentReader(segment.folder)
  const texts: Record<string, string> = {}
  for (const { url, content } of await collect(segment.readOutcomes()))
    if (content !== undefined) texts[url] = Buffer.from((await reader.read(content)).payload).toString()
  await reader.close()
  return texts
}

async function linksOf(segment: Segment): Promise<string[]> {
  const records = await collect(segment.readCrawlParse())
  return records.flatMap(record => (record.kind === 'link' ? [`${record.link.from} ${record.link.to}`] : [])).sort()
}

describe('mergesegs', () => {
  const newFolder = useTempFolders()

  async function merge(...args: string[]): Promise<readonly Segment[]> {
    const crawl = newFolder()
    await crawledSegment(crawl, older)
    await crawledSegment(crawl, newer, fetchTimeMs + day)
    const out = join(crawl, 'merged')
    expect((await runCommand(['mergesegs', crawl, '--out', out, ...args])).status).to.equal(0)
    return listSegments(out)
  }

  it('keeps of each URL what the newest segment has, and passes over retries and pages that were not modified', async () => {
    const [segment, ...more] = await merge()
    expect(more).to.deep.equal([])
    if (segment === undefined) throw new Error('one was made')
    expect(await segment.state()).to.equal('parsed')
    expect(await textsOf(segment)).to.deep.equal({
      'http://a.test/1': 'one, new',
      'http://a.test/2': 'two',
      'http://b.test/3': 'three',
      'http://c.test/4': 'four',
    })
    expect(await linksOf(segment)).to.deep.equal(['http://a.test/1 http://x.test/new', 'http://b.test/3 http://a.test/1'])
    const texts = await collect(segment.readParseText())
    expect(Object.fromEntries(texts.map(({ url, text }) => [url, text]))).to.deep.equal(await textsOf(segment))
    const list = await collect(segment.readFetchList())
    expect(list.map(({ url }) => url).sort()).to.deep.equal(['http://a.test/1', 'http://a.test/2', 'http://b.test/3', 'http://c.test/4'])
    expect(list[0]?.segment).to.equal(segment.name)
    for (const name of await segment.warcNames()) for await (const { error } of checkWarc(segment.pathOf(name))) expect(error).to.equal(null)
  })

  it('leaves out what the filters reject, links as well', async () => {
    const rules = join(newFolder(), 'rules.txt')
    writeFileSync(rules, '-^http://(c|x)\\.\n+.\n')
    const [segment] = await merge('--filter', '--rules', rules)
    if (segment === undefined) throw new Error('one was made')
    expect(Object.keys(await textsOf(segment)).sort()).to.deep.equal(['http://a.test/1', 'http://a.test/2', 'http://b.test/3'])
    expect(await linksOf(segment)).to.deep.equal(['http://b.test/3 http://a.test/1'])
  })

  it('makes slices of so many URLs, each URL whole in one of them', async () => {
    const slices = await merge('--slice', '3')
    expect(slices.length).to.equal(2)
    const urls: string[][] = []
    for (const slice of slices) {
      const fetched = Object.keys(await textsOf(slice))
      expect(fetched.length).to.be.within(1, 3)
      expect((await collect(slice.readParseText())).map(({ url }) => url)).to.have.members(fetched)
      urls.push(fetched)
    }
    expect(urls.flat().sort()).to.deep.equal(['http://a.test/1', 'http://a.test/2', 'http://b.test/3', 'http://c.test/4'])
  })

  it('leaves no segment where it cannot be done', async () => {
    const crawl = newFolder()
    const segment = await crawledSegment(crawl, older)
    writeFileSync(segment.pathOf('content-00000.warc.gz'), '')
    const error = await runCommand(['mergesegs', crawl, '--out', join(crawl, 'merged')]).catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'SEGMENT_CORRUPT' })
    expect(readdirSync(join(crawl, 'merged'))).to.deep.equal([])
  })
})
