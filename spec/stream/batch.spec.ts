import { expect } from 'chai'
import { batchRecords } from '../../lib/stream/batch.js'
import { upTo } from '../support/stream-probe.js'

describe('batchRecords', () => {
  for (const { count, size, batches } of [
    { count: 0, size: 3, batches: [] },
    { count: 3, size: 3, batches: [[0, 1, 2]] },
    { count: 4, size: 3, batches: [[0, 1, 2], [3]] },
    { count: 2, size: 1, batches: [[0], [1]] },
  ]) {
    it(`groups ${count} records by ${size}`, async () => {
      const got: number[][] = []
      for await (const batch of batchRecords<number>(size)(upTo(count) as AsyncIterable<number>)) got.push(batch)
      expect(got).to.deep.equal(batches)
    })
  }
})
