import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { encodeParse } from '../../lib/segment/encode-parse.js'
import { FetchListWriter } from '../../lib/segment/fetch-list-writer.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { sealSegment } from '../../lib/segment/seal-segment.js'
import { listSegments, oldestNeeding, Segment } from '../../lib/segment/segment.js'
import { segmentNameOf, segmentTimeMs } from '../../lib/segment/segment-name.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import { indexWarc } from '../../lib/warc/index-warc.js'
import { fetchTimeMs, outcomeOf, parseOf, withFolder, withSegment, writerOptions } from './segment-fixtures.js'

describe('segment names', () => {
  it('are the time in UTC', () => {
    expect(segmentNameOf(Date.UTC(2026, 0, 2, 3, 4, 5, 999))).to.equal('20260102030405')
    expect(segmentTimeMs('20260102030405')).to.equal(Date.UTC(2026, 0, 2, 3, 4, 5))
  })

  it('are the next free second where one is taken', () =>
    withFolder(async folder => {
      const made = await Promise.all([1, 2, 3].map(() => Segment.create(folder, Date.UTC(2026, 11, 31, 23, 59, 59))))
      expect(made.map(({ name }) => name).sort()).to.deep.equal(['20261231235959', '20270101000000', '20270101000001'])
    }))
})

describe('listSegments', () => {
  it('gives segments only, oldest first, and none where there is no folder', () =>
    withFolder(async folder => {
      for (const name of ['20260102030405', '20250102030405', '.expired-20240102030405', 'import-1-0.tmp', '2026']) await mkdir(join(folder, name))
      expect((await listSegments(folder)).map(({ name }) => name)).to.deep.equal(['20250102030405', '20260102030405'])
      expect(await listSegments(join(folder, 'none'))).to.deep.equal([])
      const error = await Segment.open(join(folder, '20000101000000')).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'SEGMENT_MISSING' })
    }))
})

describe('Segment.state', () => {
  it('follows a segment through its steps', () =>
    withSegment(async segment => {
      const states = [await segment.state()]
      await (await FetchListWriter.open(segment)).commit()
      states.push(await segment.state())
      const content = await SegmentWriter.open(segment, writerOptions)
      const parse = await ParseWriter.open(segment, { syncs: 'never' })
      await content.append(undefined, outcomeOf('http://a.test/'))
      await parse.append(encodeParse(parseOf('http://a.test/'), []))
      states.push(await segment.state())
      await content.finish({ items: 1 })
      states.push(await segment.state())
      await parse.finish({ pages: 1 })
      states.push(await segment.state())
      await sealSegment(segment, { nowMs: 0, findCaptures: indexWarc })
      states.push(await segment.state())
      expect(states).to.deep.equal(['empty', 'generated', 'fetching', 'parsing', 'parsed', 'sealed'])
    }))

  it('is fetched when no page is parsed yet', () =>
    withSegment(async segment => {
      await (await SegmentWriter.open(segment, writerOptions)).finish({ items: 0 })
      expect(await segment.state()).to.equal('fetched')
    }))
})

describe('oldestNeeding', () => {
  it('gives the oldest that a step is to be done in', () =>
    withFolder(async folder => {
      const [empty, fetched, generated, fetching] = await Promise.all([1, 2, 3, 4].map(day => Segment.create(folder, fetchTimeMs + day * 86_400_000)))
      if (empty === undefined || fetched === undefined || generated === undefined || fetching === undefined) throw new Error('four were made')
      for (const segment of [fetched, generated, fetching]) await (await FetchListWriter.open(segment)).commit()
      await (await SegmentWriter.open(fetched, writerOptions)).finish({ items: 0 })
      await (await SegmentWriter.open(fetching, writerOptions)).close()
      const folders = { segments: folder, spool: join(folder, 'spool') }
      expect((await oldestNeeding('fetch', folders))?.name).to.equal(generated.name)
      expect((await oldestNeeding('parse', folders))?.name).to.equal(fetched.name)
      await (await SegmentWriter.open(generated, writerOptions)).finish({ items: 0 })
      expect((await oldestNeeding('fetch', folders))?.name).to.equal(fetching.name)
    }))
})

describe('readers of parts', () => {
  it('name file, byte and reason of a line that is no record', () =>
    withSegment(async segment => {
      const good = 'http://a.test/ü\t{"text":"x"}\n'
      await writeFile(segment.pathOf('parse_text.ndjson'), `${good}http://a.test/2\t{"text":3}\n`)
      const error = await (async () => {
        for await (const _ of segment.readParseText());
      })().catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'SEGMENT_CORRUPT' })
      expect((error as Error).message).to.include(`parse_text.ndjson: line at byte ${Buffer.byteLength(good)}: text is not a string`)
    }))
})
