import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { encodeParse } from '../../lib/segment/encode-parse.js'
import { FetchListWriter } from '../../lib/segment/fetch-list-writer.js'
import { findLines } from '../../lib/segment/find-lines.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { captureLogName, cdxjName, manifestName, partNames, parts } from '../../lib/segment/part-names.js'
import { type SealOptions, sealSegment } from '../../lib/segment/seal-segment.js'
import { Segment } from '../../lib/segment/segment.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import { encodeExchange } from '../../lib/warc/encode-exchange.js'
import { indexWarc } from '../../lib/warc/index-warc.js'
import { witnessCdxj } from '../warc/warc-witness.js'
import { collect, exchangeOf, itemOf, linkOf, outcomeOf, parseOf, withFolder, withSegment, writerOptions } from './segment-fixtures.js'

const urls = ['http://www.zebra.test/Z', 'http://a.test/2', 'http://a.test/10', 'https://a.test:8443/?b=2&a=1', 'http://b.test/%C3%BC']
const options: SealOptions = { nowMs: 1_800_000_000_000, findCaptures: indexWarc }

async function fill(segment: Segment): Promise<void> {
  const list = await FetchListWriter.open(segment)
  await list.write(urls.map(url => itemOf(url)))
  await list.commit()
  const content = await SegmentWriter.open(segment, { ...writerOptions, warcFileBytes: 2500 })
  for (const url of urls) await content.append(encodeExchange(exchangeOf(url)), outcomeOf(url))
  await content.finish({ items: urls.length })
  const writer = await ParseWriter.open(segment, { syncs: 'never' })
  for (const url of urls) await writer.append(encodeParse(parseOf(url), [linkOf(url, 'http://a.test/2'), linkOf(url, 'http://new.test/')]))
  await writer.finish({ pages: urls.length })
}

async function readAll(segment: Segment): Promise<unknown> {
  return {
    list: await collect(segment.readFetchList()),
    outcomes: await collect(segment.readOutcomes()),
    crawl: await collect(segment.readCrawlParse()),
    data: await collect(segment.readParseData()),
    texts: await collect(segment.readParseText()),
  }
}

describe('sealSegment', () => {
  it('compresses the parts, which then read the same, and says what it holds', () =>
    withSegment(async segment => {
      await fill(segment)
      const before = await readAll(segment)
      const manifest = await sealSegment(segment, options)
      expect(await readAll(segment)).to.deep.equal(before)
      expect(await segment.state()).to.equal('sealed')
      const names = await readdir(segment.folder)
      for (const part of partNames) expect(names).to.include(`${part}.gz`).and.not.include(part)
      expect(names).to.not.include(captureLogName)
      for (const part of partNames) {
        const plain = gunzipSync(await readFile(segment.pathOf(`${part}.gz`)))
        const sha256 = createHash('sha256').update(plain).digest('hex')
        const facts = { bytes: plain.length, sha256, lines: plain.toString().split('\n').length - 1 }
        expect(manifest.parts[part]).to.include(facts)
      }
      expect(manifest).to.deep.include({ captures: urls.length, name: segment.name, sealedMs: options.nowMs })
      expect(manifest.steps.parse).to.deep.equal({ pages: urls.length })
      const files = await segment.warcNames()
      expect(files.length).to.be.above(1)
      for (const { file, sha256 } of manifest.content)
        expect(
          createHash('sha256')
            .update(await readFile(segment.pathOf(file)))
            .digest('hex'),
        ).to.equal(sha256)
      expect(manifest.content.map(({ file }) => file)).to.deep.equal(files)
    }))

  it('sorts captures by bytes, as warcio indexes them', () =>
    withSegment(async segment => {
      await fill(segment)
      await sealSegment(segment, options)
      const lines = (await readFile(segment.pathOf(cdxjName), 'utf8')).trimEnd().split('\n')
      expect(lines).to.deep.equal([...lines].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
      const witnessed: string[] = []
      for (const name of await segment.warcNames())
        for (const { urlkey, timestamp, url, mime, status, digest, length, offset } of await witnessCdxj(segment.pathOf(name))) {
          const json = { url, mime, status: String(status), digest, length: String(length), offset: String(offset), filename: name }
          witnessed.push(`${urlkey} ${timestamp} ${JSON.stringify(json)}`)
        }
      expect(lines).to.have.members(witnessed)
    }))

  it('finds the captures by reading the content files where their log was lost', () =>
    withSegment(segment =>
      withFolder(async folder => {
        await fill(segment)
        for (const [name, log] of [
          ['without', undefined],
          ['partial', '!partial\n'],
        ] as const) {
          const target = join(folder, name)
          await mkdir(target)
          for (const file of await readdir(segment.folder)) await copyFile(segment.pathOf(file), join(target, file))
          if (log === undefined) await rm(join(target, captureLogName))
          else await writeFile(join(target, captureLogName), log)
          await sealSegment(await Segment.open(target), options)
        }
        await sealSegment(segment, options)
        const wanted = await readFile(segment.pathOf(cdxjName), 'utf8')
        for (const name of ['without', 'partial']) expect(await readFile(join(folder, name, cdxjName), 'utf8')).to.equal(wanted)
      }),
    ))

  it('gives the same whatever a killed seal has left, and again when sealed', () =>
    withSegment(segment =>
      withFolder(async folder => {
        await fill(segment)
        const open = join(folder, 'open')
        await mkdir(open)
        for (const file of await readdir(segment.folder)) await copyFile(segment.pathOf(file), join(open, file))
        const manifest = await sealSegment(segment, options)
        const sealed = await readdir(segment.folder)
        const made = sealed.filter(name => name.endsWith('.gz') || name === cdxjName || name === 'parts.index')
        for (let count = 0; count <= made.length; count++) {
          const target = join(folder, String(count))
          await mkdir(target)
          for (const file of await readdir(open)) await copyFile(join(open, file), join(target, file))
          for (const file of made.slice(0, count)) await copyFile(segment.pathOf(file), join(target, file))
          await writeFile(join(target, `${parts.parseText}.gz.tmp`), 'torn')
          expect(await sealSegment(await Segment.open(target), options)).to.deep.equal({ ...manifest, name: String(count) })
        }
        const half = join(folder, 'half')
        await mkdir(half)
        for (const file of await readdir(open)) await copyFile(join(open, file), join(half, file))
        for (const file of sealed) await copyFile(segment.pathOf(file), join(half, file))
        expect(await sealSegment(await Segment.open(half), { ...options, nowMs: 0 })).to.deep.equal(manifest)
        expect((await readdir(half)).sort()).to.deep.equal(sealed.sort())
      }),
    ))

  it('refuses a segment that is not fetched, and leaves it as it is', () =>
    withSegment(async segment => {
      await (await FetchListWriter.open(segment)).commit()
      const error = await sealSegment(segment, options).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'SEGMENT_STATE' })
      expect(await readdir(segment.folder)).to.deep.equal([parts.fetchList])
    }))

  it('says which file does not unpack', () =>
    withSegment(async segment => {
      await fill(segment)
      await sealSegment(segment, options)
      const path = segment.pathOf(`${parts.parseData}.gz`)
      const bytes = await readFile(path)
      await writeFile(path, bytes.subarray(0, bytes.length - 20))
      const error = await collect(segment.readParseData()).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'SEGMENT_CORRUPT' })
      expect((error as Error).message).to.include(path)
    }))

  it('leaves no manifest where a part cannot be written', () =>
    withSegment(async segment => {
      await fill(segment)
      await mkdir(segment.pathOf(`${parts.parseText}.gz.tmp`))
      const error = await sealSegment(segment, options).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'IO_FAILED' })
      expect(await readdir(segment.folder)).to.not.include(manifestName)
      expect(await segment.state()).to.equal('parsed')
    }))
})

describe('findLines', () => {
  it('finds the same lines before and after the seal, and none of another URL', () =>
    withSegment(async segment => {
      await fill(segment)
      const lookUp = async (): Promise<unknown> => {
        const found: unknown[] = []
        for (const url of [...urls, 'http://a.test/1', 'http://new.test/', 'http://a.test/', 'http://zz.test/'])
          found.push(await findLines(segment, url, partNames))
        return found
      }
      const before = (await lookUp()) as { part: string; lines: string[] }[][]
      await sealSegment(segment, options)
      expect(await lookUp()).to.deep.equal(before)
      expect(before.map(found => found.length)).to.deep.equal([5, 5, 5, 5, 5, 0, 0, 0, 0])
    }))
})
