import { expect } from 'chai'
import { encodeParse } from '../../lib/segment/encode-parse.js'
import { findLines } from '../../lib/segment/find-lines.js'
import { forgetParse } from '../../lib/segment/forget-parse.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { parts } from '../../lib/segment/part-names.js'
import { sealSegment } from '../../lib/segment/seal-segment.js'
import type { Segment } from '../../lib/segment/segment.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import { encodeExchange } from '../../lib/warc/encode-exchange.js'
import { indexWarc } from '../../lib/warc/index-warc.js'
import { collect, exchangeOf, outcomeOf, parseOf, withSegment, writerOptions } from './segment-fixtures.js'

const url = 'http://a.test/'
const seal = (segment: Segment) => sealSegment(segment, { nowMs: 0, findCaptures: indexWarc })

async function parseAs(segment: Segment, text: string): Promise<void> {
  const writer = await ParseWriter.open(segment, { syncs: 'never' })
  await writer.append(encodeParse(parseOf(url, { text }), []))
  await writer.finish({ pages: 1 })
}

describe('forgetParse', () => {
  for (const isSealed of [false, true])
    it(`lets a ${isSealed ? 'sealed' : 'parsed'} segment be parsed and sealed again`, () =>
      withSegment(async segment => {
        const content = await SegmentWriter.open(segment, writerOptions)
        await content.append(encodeExchange(exchangeOf(url)), outcomeOf(url))
        await content.finish({ items: 1 })
        await parseAs(segment, 'first')
        const before = isSealed ? await seal(segment) : undefined
        await forgetParse(segment)
        expect(await segment.state()).to.equal('fetched')
        expect((await collect(segment.readOutcomes())).length).to.equal(1)
        await parseAs(segment, 'second')
        const after = await seal(segment)
        expect(await collect(segment.readParseText())).to.deep.equal([{ url, text: 'second' }])
        expect((await findLines(segment, url, [parts.outcomes]))[0]?.lines.length).to.equal(1)
        if (before !== undefined) expect(after).to.deep.include({ captures: before.captures, content: before.content })
        expect(after.parts[parts.outcomes]).to.include({ lines: 1 })
      }))

  it('refuses a segment that is not fetched', () =>
    withSegment(async segment => {
      const error = await forgetParse(segment).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'SEGMENT_STATE' })
    }))
})
