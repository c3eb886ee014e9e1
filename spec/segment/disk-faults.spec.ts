import { existsSync } from 'node:fs'
import { rm, symlink } from 'node:fs/promises'
import { expect } from 'chai'
import { encodeParse } from '../../lib/segment/encode-parse.js'
import { FetchListWriter } from '../../lib/segment/fetch-list-writer.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { parts } from '../../lib/segment/part-names.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import { encodeExchange } from '../../lib/warc/encode-exchange.js'
import { collect, exchangeOf, itemOf, outcomeOf, parseOf, withSegment, writerOptions } from './segment-fixtures.js'

const fullDevice = '/dev/full'
const [one, two] = ['http://a.test/1', 'http://a.test/2'] as const

describe('a disk that is full', function needsFullDevice() {
  before(function skipWithoutDevice() {
    if (!existsSync(fullDevice)) this.skip()
  })

  it('ends a fetch with an error that names the file, for all that wait, and what was committed stays', () =>
    withSegment(async segment => {
      const first = await SegmentWriter.open(segment, writerOptions)
      await first.append(encodeExchange(exchangeOf(one)), outcomeOf(one))
      await first.close()
      const full = await SegmentWriter.open(segment, writerOptions)
      await symlink(fullDevice, segment.pathOf('content-00001.warc.gz'))
      const settled = await Promise.allSettled([one, two].map(url => full.append(encodeExchange(exchangeOf(url)), outcomeOf(url))))
      for (const result of settled) expect(result).to.have.nested.property('reason.code', 'DISK_FULL')
      const later = await full.append(undefined, outcomeOf(two)).catch((thrown: unknown) => thrown)
      expect(later).to.include({ code: 'DISK_FULL' })
      expect((later as Error).message).to.include('content-00001.warc.gz')
      const finished = await full.finish({ items: 2 }).catch((thrown: unknown) => thrown)
      expect(finished).to.include({ code: 'DISK_FULL' })
      expect(await segment.state()).to.equal('fetching')
      await rm(segment.pathOf('content-00001.warc.gz'))
      const again = await SegmentWriter.open(segment, writerOptions)
      await again.append(encodeExchange(exchangeOf(two)), outcomeOf(two))
      await again.finish({ items: 2 })
      expect((await collect(segment.readOutcomes())).map(({ url }) => url)).to.deep.equal([one, two])
    }))

  it('ends a parse so too', () =>
    withSegment(async segment => {
      await symlink(fullDevice, segment.pathOf(parts.parseText))
      const full = await ParseWriter.open(segment, { syncs: 'never' })
      const error = await full.append(encodeParse(parseOf(one), [])).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'DISK_FULL' })
      await full.close()
      await rm(segment.pathOf(parts.parseText))
      const again = await ParseWriter.open(segment, { syncs: 'never' })
      await again.append(encodeParse(parseOf(one), []))
      await again.close()
      expect((await collect(segment.readParseData())).map(({ url }) => url)).to.deep.equal([one])
    }))

  it('leaves no list', () =>
    withSegment(async segment => {
      await symlink(fullDevice, segment.pathOf(`${parts.fetchList}.tmp`))
      const list = await FetchListWriter.open(segment)
      await list.write([itemOf(one)])
      const error = await list.commit().catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'DISK_FULL' })
      expect(await segment.state()).to.equal('empty')
    }))
})
