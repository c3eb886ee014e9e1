import { copyFile, mkdir, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { readParsedUrls } from '../../lib/segment/committed-urls.js'
import { encodeParse } from '../../lib/segment/encode-parse.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { parts } from '../../lib/segment/part-names.js'
import { Segment } from '../../lib/segment/segment.js'
import { collect, linkOf, parseOf, withFolder, withSegment } from './segment-fixtures.js'

const urls = ['http://a.test/1', 'http://a.test/2', 'http://b.test/ü', 'http://c.test/4']
const linksOf = (url: string) => urls.filter(other => other !== url).map((to, index) => linkOf(url, to, { score: (index + 1) / 8 }))
const encodedOf = (url: string) => encodeParse(parseOf(url, { text: `text of ${url}\nwith lines` }), linksOf(url))

async function parseInto(segment: Segment, pages: readonly string[]): Promise<void> {
  const writer = await ParseWriter.open(segment, { syncs: 'never' })
  for (const url of pages) await writer.append(encodedOf(url))
  await writer.close()
}

async function expectWhole(segment: Segment, why: string): Promise<void> {
  const records = await collect(segment.readCrawlParse())
  const pages = records.flatMap(record => (record.kind === 'page' ? [record.page.url] : []))
  const links = records.flatMap(record => (record.kind === 'link' ? [record.link] : []))
  expect(pages, why).to.have.members(urls)
  expect(pages.length, why).to.equal(urls.length)
  const plain = urls.flatMap(linksOf).map(({ from, to, score }) => ({ from, to, score }))
  expect(
    links.map(({ from, to, score }) => ({ from, to, score })),
    why,
  ).to.have.deep.members(plain)
  expect(
    (await collect(segment.readParseData())).map(({ url }) => url),
    why,
  ).to.have.members(urls)
  expect(await collect(segment.readParseText()), why).to.have.deep.members(urls.map(url => ({ url, text: `text of ${url}\nwith lines` })))
}

describe('ParseWriter', () => {
  it('writes pages whose links stand before them, without anchors', () =>
    withSegment(async segment => {
      const writer = await ParseWriter.open(segment, { syncs: 'never' })
      await Promise.all(urls.map(url => writer.append(encodedOf(url))))
      await writer.finish({ pages: urls.length })
      await expectWhole(segment, 'all at once')
      expect(await readFile(segment.pathOf(parts.crawlParse), 'utf8')).to.not.include('anchor')
      expect((await segment.steps()).parse).to.deep.equal({ pages: 4 })
      const error = await ParseWriter.open(segment).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'SEGMENT_STATE' })
    }))

  for (const [status, wanted] of [
    ['success', 'signature'],
    ['failed', 'parse_failed'],
    ['notparsed', 'parse_metadata'],
  ] as const)
    it(`commits a page that is ${status} as ${wanted}`, () =>
      withSegment(async segment => {
        const writer = await ParseWriter.open(segment, { syncs: 'never' })
        await writer.append(encodeParse(parseOf('http://a.test/', { status, cause: 'why' }), []))
        await writer.close()
        const [record] = await collect(segment.readCrawlParse())
        expect(record?.kind === 'page' && { status: record.page.status, cause: record.page.cause }).to.deep.equal({ status: wanted, cause: 'why' })
      }))

  it('writes no text where texts are not stored', () =>
    withSegment(async segment => {
      const writer = await ParseWriter.open(segment, { syncs: 'never' })
      await writer.append(encodeParse(parseOf('http://a.test/'), [], { storesText: false }))
      await writer.close()
      expect(await collect(segment.readParseText())).to.deep.equal([])
    }))

  for (const name of [parts.crawlParse, parts.parseData, parts.parseText])
    it(`goes on from ${name} cut at any byte`, function resumeAnywhere() {
      this.timeout(30_000)
      return withSegment(segment =>
        withFolder(async folder => {
          await parseInto(segment, urls)
          const { length } = await readFile(segment.pathOf(name))
          for (let keepBytes = 0; keepBytes < length; keepBytes += 37) {
            const target = join(folder, `${keepBytes}`)
            await mkdir(target)
            for (const file of await readdir(segment.folder)) await copyFile(segment.pathOf(file), join(target, file))
            await truncate(join(target, name), keepBytes)
            const cut = await Segment.open(target)
            await (await ParseWriter.open(cut, { syncs: 'never' })).close()
            const done = await readParsedUrls(cut)
            expect(done.size, `cut at ${keepBytes}`).to.be.below(urls.length)
            await parseInto(
              cut,
              urls.filter(url => !done.has(url)),
            )
            await expectWhole(cut, `cut at ${keepBytes}`)
          }
        }),
      )
    })
})
