import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import { batchRecords } from '../../lib/stream/batch.js'
import { chain } from '../../lib/stream/chain.js'
import { mapRecords } from '../../lib/stream/stage.js'

describe('chain', () => {
  it('hands steps on as they are, for pipeline() to run', async () => {
    const lengths = mapRecords((text: string) => text.length)
    const batches = batchRecords<number>(2)
    expect(chain(lengths, batches)).to.deep.equal([lengths, batches])
    const got: number[][] = []
    await pipeline(Readable.from(['a', 'bb', 'ccc']), ...chain(lengths, batches), async (source: AsyncIterable<number[]>) => {
      for await (const batch of source) got.push(batch)
    })
    expect(got).to.deep.equal([[1, 2], [3]])
  })

  it('makes the compiler refuse a step that does not take what the one before gives', () => {
    const lengths = mapRecords((text: string) => text.length)
    const upper = mapRecords((text: string) => text.toUpperCase())
    expect(chain(upper, lengths)).to.have.lengthOf(2)
    // @ts-expect-error numbers are no text
    expect(chain(lengths, upper)).to.have.lengthOf(2)
  })
})
